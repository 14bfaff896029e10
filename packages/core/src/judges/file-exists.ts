import type { Judge } from '../judge.js'
import { checkOptions, option } from '../options.js'
import type { Workspace } from '../workspace.js'
import { normalizePath } from '../workspace.js'
import { concluded } from './concluded.js'
import { checkPath } from './path.js'

/**
 * Passes when `path` exists in the workspace, with the type asked for.
 *
 * @param options `type` defaults to `'any'`
 * @throws `path-invalid` for a blank path
 *
 * @example
 * jury({ judges: { readme: fileExists('README.md') }, vote: consensus() })
 */
export function fileExists(path: string, options?: { readonly type?: 'file' | 'directory' | 'any' }): Judge {
  const { type = 'any' } = checkOptions('fileExists', options, { type: option.oneOf('file', 'directory', 'any') })
  checkPath(path)
  return async function fileExists({ workspace }) {
    const problem = await missing(workspace, path, type)
    const passed = problem === ''
    const checks = [{ name: 'file_exists', passed, message: problem, location: { path } }]
    return concluded(passed, `${path} ${problem || 'exists'}`, { checks })
  }
}

async function missing(workspace: Workspace, path: string, type: 'file' | 'directory' | 'any'): Promise<string> {
  if (!(await workspace.exists(path))) return 'is missing'
  if (type === 'any') return ''
  const isFile = normalizePath(path) !== '.' && (await workspace.isFile(path.replace(/\/+$/, '')))
  if (type === 'file') return isFile ? '' : 'is not a file'
  return !isFile && (await isDirectory(workspace, path)) ? '' : 'is not a directory'
}

/** The port tells directories apart in listings only. */
async function isDirectory(workspace: Workspace, path: string): Promise<boolean> {
  const wanted = normalizePath(path)
  if (wanted === '.') return true
  const parent = wanted.includes('/') ? wanted.slice(0, wanted.lastIndexOf('/')) : '.'
  for await (const entry of workspace.list({ under: parent }))
    if (entry.path === wanted)
      return entry.type === 'directory' || (entry.type === 'symlink' && leadsOn(workspace, wanted))
  return false
}

/** A link that exists and is no file leads to a directory, as far as the port can tell. */
async function leadsOn(workspace: Workspace, path: string): Promise<boolean> {
  return (await workspace.exists(path)) && !(await workspace.isFile(path))
}
