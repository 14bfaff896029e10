import { relative } from 'node:path'

/** Returns a path relative to the directory in which the command was started, which `--cwd` does not change. */
export function shownFromHere(directory: string): string {
  const short = relative(process.cwd(), directory)
  return short === '' ? '.' : short.startsWith('..') ? directory : short
}
