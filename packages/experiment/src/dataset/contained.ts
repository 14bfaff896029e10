import { realpathSync } from 'node:fs'
import { JuristError } from '@jurist/core'
import { normalizePath } from '@jurist/core/internal'

/** Whether a path from a file stays inside its directory. */
export type Containment =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly reason: 'escapes' | 'malformed' }

/** The normal form of a path from a file, unless the path is absolute, contains `..`, or is malformed. */
export function containedPath(path: string): Containment {
  try {
    return { ok: true, path: normalizePath(path) }
  } catch (thrown) {
    return { ok: false, reason: JuristError.is(thrown, 'path-escape') ? 'escapes' : 'malformed' }
  }
}

/** Whether an absolute path leaves `root` (a real path) once links are followed. */
export function leavesThroughLink(root: string, absolute: string): boolean {
  const real = realPath(absolute)
  return real !== undefined && real !== root && !real.startsWith(root.endsWith('/') ? root : `${root}/`)
}

function realPath(absolute: string): string | undefined {
  try {
    return realpathSync.native(absolute)
  } catch {
    // Missing, or a broken link: reading it reports that.
    return undefined
  }
}
