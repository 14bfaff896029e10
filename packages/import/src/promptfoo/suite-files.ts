import { isUtf8 } from 'node:buffer'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { extname, isAbsolute, join, posix, relative, resolve } from 'node:path'
import type { Json } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { readCsv, readJsonLines } from '@jurist/experiment/internal'
import { isOverLimit, withProcessorLimit } from '@jurist/kit/processor-limit'
import { yamlSizeProblem } from '@jurist/kit/yaml-size'
import { hostileParts } from '../traces/trace-files.js'

/** Collects the problems that make a suite unreadable. */
export type Refuse = (path: string, problem: string, remedy: string) => void

/** Reads the files that a suite names. Each method returns `undefined` for a file that it refused. */
export interface SuiteFiles {
  /** @param path the place in the suite, for messages */
  text(name: string, path: string): Promise<string | undefined>
  /** Reads a YAML or JSON file. */
  document(name: string, path: string): Promise<unknown>
  /** Reads the rows of a CSV file, or of a file with JSON on each line. */
  rows(name: string, path: string): Promise<readonly Readonly<Record<string, unknown>>[] | undefined>
  /** Returns the files that a name refers to, in order: the file itself, or the files that match it as a glob. */
  matching(name: string, path: string): Promise<readonly string[]>
}

const maxBytes = 16 * 1024 * 1024
const prefix = 'file://'

export function fileName(given: string): string {
  return given.startsWith(prefix) ? given.slice(prefix.length) : given
}

/**
 * Reads files only below a directory, even through names and links that lead outside: a suite may be untrusted, and the
 * contents of its files go into rows.
 *
 * @param root the outermost directory
 * @param directory the base of relative names
 */
export function suiteFiles(root: string, directory: string, refuse: Refuse): SuiteFiles {
  const bytes = async (name: string, path: string): Promise<Uint8Array | undefined> => {
    const file = resolve(directory, name)
    const real = await realpath(file).catch(() => undefined)
    if (leaves(root, file) || (real !== undefined && leaves(await realpath(root), real)))
      return void refuse(path, `${name} leads out of ${root}.`, 'Import in a directory that holds both.')
    const found = await stat(file).catch(() => undefined)
    if (found?.isFile() !== true) return void refuse(path, `${name} is not a file of the suite.`, 'Check the path.')
    if (found.size <= maxBytes) return readFile(file)
    return void refuse(path, `${name} has ${found.size} bytes; a file may have ${maxBytes}.`, 'Split it.')
  }
  const text = async (name: string, path: string): Promise<string | undefined> => {
    const read = await bytes(name, path)
    if (read === undefined || isUtf8(read)) return read && new TextDecoder().decode(read)
    return void refuse(path, `${name} is not UTF-8 text.`, 'Save it as UTF-8.')
  }
  return {
    text,
    async document(name, path) {
      const read = await text(name, path)
      return read === undefined ? undefined : await parsed(read, (problem) => refuse(path, `${name}: ${problem}`, ''))
    },
    async rows(name, path) {
      const read = await bytes(name, path)
      if (read === undefined) return undefined
      const rows = await (extname(name) === '.csv' ? readCsv : readJsonLines)(read)
      return rows.flatMap((row) => {
        if (row.ok) return [row.values]
        refuse(path, `${name}: ${row.place} ${row.problem}`, row.remedy)
        return []
      })
    },
    async matching(name, path) {
      if (!magic.test(name) || (await stat(resolve(directory, name)).catch(() => undefined))?.isFile() === true)
        return [name]
      const found = await filesLike({ root: await realpath(root), directory: await realpath(directory) }, name)
      if ('problem' in found) return refuse(path, `${name} ${found.problem}`, found.remedy) ?? []
      return found.files
    },
  }
}

/** Processor time. */
const mostReadMs = 5_000

/** Parses YAML or JSON. */
async function parsed(text: string, refuse: (problem: string) => void): Promise<unknown> {
  const { Lexer, parseDocument } = await import('yaml')
  try {
    const { document, value } = withProcessorLimit(mostReadMs, () => {
      const tooLarge = yamlSizeProblem(new Lexer().lex(text))
      if (tooLarge !== undefined) throw new Error(tooLarge.message)
      const document = parseDocument(text, { merge: true, prettyErrors: true })
      return { document, value: document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: 100 }) }
    })
    for (const { message } of document.errors) {
      const isDeep = message.startsWith('Maximum call stack')
      refuse(isDeep ? 'it is nested too deeply.' : `${message.split('\n', 1)[0]?.replace(/:$/, '')}.`)
    }
    if (document.errors.length > 0) return undefined
    const hostile = hostileParts(value as Json, '')
    for (const problem of hostile) refuse(`${problem}.`)
    return hostile.length > 0 ? undefined : value
  } catch (thrown) {
    if (isOverLimit(thrown)) return void refuse(`it takes longer than ${mostReadMs / 1_000} seconds to read.`)
    return void refuse(thrown instanceof RangeError ? 'it is nested too deeply.' : `${failureOf(thrown).message}.`)
  }
}

/** Matches names that are globs. */
const magic: RegExp = /[*?[{]|[+@!]\(/

/** The limits for the matches of a glob, and for the entries that are searched. */
const mostFiles = 1_000
const mostEntries = 100_000
const mostDepth = 32
const mostMatchingMs = 5_000

function leaves(root: string, path: string): boolean {
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
async function filesLike({ root, directory }: Place, name: string): Promise<Found> {
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
