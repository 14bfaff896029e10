import { realpathSync, statSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isPlainObject } from '@jurist/core/internal'
import { usageInvalid } from '../config/problems.js'

/** The directories that a client lets this server see. */
export interface ClientRoots {
  /** Reads what the client says first. */
  begin(params: { readonly [name: string]: unknown }): void
  /** The client has other roots now. */
  forget(): void
  /**
   * A directory within the roots, links included. Default: the first root.
   *
   * @throws `usage-invalid` for one outside, and one that does not exist
   */
  directory(given: string | undefined): Promise<string>
}

/** The roots of a client, asked for once. For a client that has none it is the working directory. */
export function clientRoots(cwd: string, ask: () => Promise<unknown>): ClientRoots {
  let hasRoots = false
  let roots: Promise<readonly string[]> | undefined
  return {
    begin({ capabilities }) {
      hasRoots = isPlainObject(capabilities) && isPlainObject(capabilities.roots)
    },
    forget() {
      roots = undefined
    },
    async directory(given) {
      if (!hasRoots) return directoryWithin([realpathSync(cwd)], given)
      roots ??= ask().then(rootsIn)
      return directoryWithin(await roots, given)
    },
  }
}

/** The real paths of the roots in an answer. What is not a directory of this machine is left out. */
function rootsIn(answer: unknown): readonly string[] {
  const roots = isPlainObject(answer) && Array.isArray(answer.roots) ? answer.roots : []
  return roots.flatMap((root: unknown) => {
    const uri = isPlainObject(root) ? root.uri : undefined
    if (typeof uri !== 'string' || !uri.startsWith('file:')) return []
    try {
      const path = realpathSync(fileURLToPath(uri))
      return statSync(path).isDirectory() ? [path] : []
    } catch {
      return []
    }
  })
}

function directoryWithin(roots: readonly string[], given = '.'): string {
  const [first] = roots
  if (first === undefined)
    throw usageInvalid('directory', 'The client names no directory of this machine as a root. Add one to it.')
  const wanted = resolve(first, given)
  const real = realPath(wanted)
  if (real === undefined || !statSync(real).isDirectory())
    throw usageInvalid('directory', `${given} is not a directory. Name one within: ${roots.join(', ')}`)
  if (roots.some((root) => isWithin(root, real))) return real
  throw usageInvalid(
    'directory',
    `${given} is outside of the roots of the client. Name one within: ${roots.join(', ')}`,
  )
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path)
  return way !== '..' && !way.startsWith(`..${sep}`)
}
