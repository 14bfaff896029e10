import { lstatSync, readlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { JuristError } from '@jurist/core'
import { normalizePath } from '@jurist/core/internal'
import { pathOf } from './byte-path.js'
import { systemCode } from './errors.js'
import { realPath, systemPath } from './system-path.js'

const maxLinks = 40
const maxNameBytes = 255

/** The target of a path after every link is followed. */
export interface Located {
  /** Absolute, without links in its existing part. */
  readonly absolute: string
  readonly exists: boolean
}

/**
 * Checks that the root of a workspace is still a directory of its own: an agent may replace it, or a directory above
 * it, by a link.
 *
 * @param root absolute, without links when the workspace was opened
 * @throws `path-escape`
 */
export function ownRoot(root: string): string {
  if (realPathOf(root) === root && lstatSync(root).isDirectory()) return root
  const problem =
    'The workspace is no longer a directory of its own: it was removed, or something else is in its place.'
  throw new JuristError('path-escape', problem, { path: '.' })
}

/** Normalizes a path of a workspace and checks it as a string, without the file system. */
export function checkedPath(path: string, use: 'file' | 'entry'): string {
  const normal = normalizePath(path, use)
  if (normal.split('/').every((name) => Buffer.byteLength(name) <= maxNameBytes)) return normal
  throw new JuristError('path-invalid', `A name in the path is longer than ${maxNameBytes} bytes; shorten it.`, {
    path,
  })
}

/**
 * Finds the target of a checked path. Nothing is cached between calls: an agent may turn a directory into a link at any
 * time.
 *
 * @throws `path-escape` when the real target is outside the root, whether it exists or not
 */
export function locate(root: string, path: string): Located {
  const real = realPathOf(join(root, path))
  const located =
    real === undefined ? { absolute: followed(root, path), exists: false } : { absolute: real, exists: true }
  if (isInside(root, located.absolute)) return located
  throw new JuristError('path-escape', `${path} leads out of the workspace through a link.`, { path })
}

/** Finds the path of the entry itself: links are followed up to its directory, but the entry is not. */
export function locateEntry(root: string, path: string): string {
  const slash = path.lastIndexOf('/')
  if (slash < 0) return join(root, path)
  return join(locate(root, path.slice(0, slash)).absolute, path.slice(slash + 1))
}

/** Whether an absolute path is the root or below it. */
export function isInside(root: string, absolute: string): boolean {
  return absolute === root || absolute.startsWith(root === '/' ? root : `${root}/`)
}

function realPathOf(absolute: string): string | undefined {
  try {
    return realPath(absolute)
  } catch (thrown) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(systemCode(thrown) ?? '')) return undefined
    throw thrown
  }
}

/** Resolves a path whose end is missing: `realpath` cannot, and a broken link may still lead out. */
function followed(root: string, path: string): string {
  const waiting = path.split('/')
  let at = root
  let links = 0
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    if (name === '' || name === '.') continue
    const here = name === '..' ? dirname(at) : join(at, name)
    const target = name === '..' ? undefined : linkTarget(here)
    if (target === undefined) at = here
    else if (++links > maxLinks) return here
    else {
      if (target.startsWith('/')) at = '/'
      waiting.unshift(...target.split('/'))
    }
  }
  return at
}

function linkTarget(absolute: string): string | undefined {
  try {
    return lstatSync(systemPath(absolute)).isSymbolicLink()
      ? pathOf(readlinkSync(systemPath(absolute), 'buffer'))
      : undefined
  } catch {
    return undefined
  }
}
