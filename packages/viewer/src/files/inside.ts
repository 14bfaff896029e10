import { lstat } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'

/**
 * The absolute path of something below one of `roots`, and never anything else: `..` that leads out, and links on the
 * way, lead nowhere. The roots themselves may be reached by links; whoever serves them has named them.
 *
 * @returns `undefined` for what is outside, is no file or directory, or does not exist
 */
export async function inside(roots: readonly string[], base: string, path: string): Promise<string | undefined> {
  if (path.includes('\0')) return undefined
  const wanted = resolve(base, path)
  const root = roots.map((one) => resolve(one)).find((one) => isBelow(one, wanted))
  if (root === undefined) return undefined
  let at = root
  for (const part of relative(root, wanted)
    .split(sep)
    .filter((one) => one !== '')) {
    at = join(at, part)
    const found = await lstat(at).catch(() => undefined)
    if (found === undefined || !(found.isDirectory() || found.isFile())) return undefined
  }
  return at
}

function isBelow(root: string, path: string): boolean {
  const way = relative(root, path)
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
}
