import { JuristError } from '../errors.js'

/** Refuses a blank path when a judge is made; a path that leads out of the workspace is refused when it judges. */
export function checkPath(path: string): void {
  if (typeof path === 'string' && path.trim() !== '') return
  throw new JuristError('path-invalid', 'The path is blank. Name a file of the workspace.', { path: String(path) })
}
