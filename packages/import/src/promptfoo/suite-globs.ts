import { readdir, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, posix, relative, resolve } from 'node:path'
import { isOverLimit, withProcessorLimit } from '@jurist/kit/processor-limit'

/** Matches names that are globs. */
export const magic: RegExp = /[*?[{]|[+@!]\(/

/** The limits for the matches of a glob, and for the entries that are searched. */
const mostFiles = 1_000
const mostEntries = 100_000
const mostDepth = 32
const mostMatchingMs = 5_000

export function leaves(root: string, path: string): boolean {
  const way = relative(root, path)
  return way.split('/')[0] === '..' || isAbsolute(way)
}

interface Place {
  /** The outermost directory, without links. */
  readonly root: string
  /** The base of relative names, without links. */
  readonly directory: string
}

type Found = { readonly files: readonly string[] } | { readonly problem: string; readonly remedy: string }

/**
 * Returns the files that match a glob, in order, as promptfoo finds them: `*` and `**` skip names with a leading dot,
 * and `**` does not follow links. Other links are followed within the root, and packages only if the glob names their
 * directory.
 */
export async function filesLike({ root, directory }: Place, name: string): Promise<Found> {
  const given = (isAbsolute(name) ? relative(directory, name) : name).replaceAll('\\', '/')
  const segments = posix.normalize(given).split('/')
  const literal = segments
    .slice(
      0,
      segments.findIndex((segment) => magic.test(segment)),
    )
    .join('/')
  const glob = segments.slice(literal === '' ? 0 : literal.split('/').length).join('/')
  const base = resolve(directory, literal)
  const real = await realpath(base).catch(() => undefined)
  const isOutside = leaves(root, base) || (real !== undefined && leaves(root, real)) || upward.test(given)
  if (isOutside) return { problem: `leads out of ${root}.`, remedy: 'Import in a directory that holds both.' }
  const isDeep = glob.includes('**')
  const most = { depth: isDeep ? mostDepth : Math.min(mostDepth, glob.split('/').length), entries: mostEntries }
  const takes = (entry: string) =>
    (!entry.startsWith('.') || hidden.test(glob)) && (entry !== packages || glob.includes(packages))
  const listing = { root, entersLinks: !isDeep, takes, most, paths: [] }
  if (real !== undefined && !(await list(listing, real, '')))
    return {
      problem: `means more than ${mostEntries} files and directories, or more than ${mostDepth} levels of them.`,
      remedy: 'Name a directory that holds fewer.',
    }
  const matched = await matching(glob, listing.paths)
  if ('problem' in matched) return matched
  const files = matched.files.map((file) => posix.join(literal, file)).sort()
  if (files.length === 0) return { problem: 'names no file.', remedy: 'Check the pattern.' }
  if (files.length <= mostFiles) return { files }
  return { problem: `names ${files.length} files, and at most ${mostFiles} are read.`, remedy: 'Import a part.' }
}

/** Matches a glob whose alternatives lead upward, such as `{a,../b}`. */
const upward = /[{,|(](?:[^{}()]*\/)?\.\.(?:[/},|)]|$)/
/** Searched only if the glob names it. */
const packages = 'node_modules'
/** Matches a glob with a name that begins with a dot. */
const hidden = /(?:^|[/{,|(])\./

interface Listing {
  readonly root: string
  readonly entersLinks: boolean
  readonly takes: (entry: string) => boolean
  readonly most: { readonly depth: number; entries: number }
  readonly paths: string[]
}

/** Lists the files below a directory; returns `false` if there are too many entries. */
async function list(listing: Listing, directory: string, prefix: string): Promise<boolean> {
  const { root, entersLinks, takes, most, paths } = listing
  const depth = prefix.split('/').length
  for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
    if (!takes(entry.name)) continue
    most.entries -= 1
    if (most.entries < 0) return false
    const [path, place] = [`${prefix}${entry.name}`, join(directory, entry.name)]
    const target = entry.isSymbolicLink() ? await stat(place).catch(() => undefined) : entry
    if (target?.isFile() === true) paths.push(path)
    if (target?.isDirectory() !== true) continue
    const isLink = target !== entry
    if (isLink && (!entersLinks || leaves(root, await realpath(place)))) continue
    if (depth < most.depth) {
      if (!(await list(listing, place, `${path}/`))) return false
    } else if (most.depth === mostDepth) return false
  }
  return true
}

/** Returns the paths that match, within a time limit: a glob may be untrusted, and some need exponential time. */
async function matching(glob: string, paths: readonly string[]): Promise<Found> {
  const { globMatcher } = await import('@jurist/workspace/internal')
  try {
    const matches = await globMatcher([plainGlob(glob)], '.', { dot: false, nonegate: true })
    return { files: withProcessorLimit(mostMatchingMs, () => paths.filter(matches)) }
  } catch (thrown) {
    const problem = isOverLimit(thrown)
      ? `takes longer than ${mostMatchingMs / 1_000} seconds to match.`
      : 'is not a glob.'
    return { problem, remedy: 'Write a simpler pattern.' }
  }
}

/** Rewrites `[!…]` to `[^…]`, and expands ranges of numbers such as `{1..12}` and `{01..12}`. */
function plainGlob(glob: string): string {
  return glob.replaceAll('[!', '[^').replace(/\{(-?\d+)\.\.(-?\d+)\}/g, (range, first: string, last: string) => {
    const [low, high] = [Number(first), Number(last)].sort((a, b) => a - b) as [number, number]
    if (high - low >= mostFiles) return range
    const width = /^-?0\d/.test(first) || /^-?0\d/.test(last) ? Math.max(first.length, last.length) : 0
    const numbers = Array.from({ length: high - low + 1 }, (_, index) => String(low + index).padStart(width, '0'))
    return numbers.length === 1 ? numbers.join() : `{${numbers.join()}}`
  })
}
