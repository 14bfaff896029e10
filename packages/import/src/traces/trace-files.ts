import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { withoutKeys } from '@jurist/bridges/internal'
import type { Json } from '@jurist/core'
import { usageInvalid } from '@jurist/experiment/plugin'
import { parseOrUndefined } from '@jurist/kit/json'
import { withoutHostSecrets } from '@jurist/workspace/internal'

/** The size limit of a file, in bytes. */
const maxBytes = 256 * 1024 * 1024
const maxFiles = 10_000
const maxDepth = 64
const maxProblems = 20

export interface TraceFile {
  readonly path: string
  /** The path as messages name it. */
  readonly shown: string
}

/** A value of a file, with its place for messages. */
export interface TraceDocument {
  readonly value: Json
  /** For example `line 3`; '' for a whole file. */
  readonly place: string
}

/**
 * Returns the files of a path, in order: the file itself, or all files below a directory with one of the extensions.
 * Links are not followed.
 *
 * @throws `usage-invalid`
 */
export async function traceFiles(path: string, cwd: string, endings: readonly string[]): Promise<readonly TraceFile[]> {
  const shown = (file: string) => relative(cwd, file) || file
  const found = await stat(path).catch(() => undefined)
  if (found?.isFile() === true) return [{ path, shown: shown(path) }]
  if (found?.isDirectory() !== true)
    throw usageInvalid('source', `${shown(path)} does not exist. Name a file or a directory of traces.`)
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  if (files.length === 0)
    throw usageInvalid('source', `${shown(path)} has no file that ends in ${endings.join(' or ')}.`)
  if (files.length > maxFiles)
    throw usageInvalid('source', `${shown(path)} has ${files.length} files, and at most ${maxFiles} are read.`)
  return files.map((file) => ({ path: file, shown: shown(file) }))
}

export interface DocumentReading {
  /**
   * Called for each string with what looks like a key. Such keys, and the secrets in the variables of this process,
   * become `***`. Default: values stay unchanged.
   */
  readonly foundKey?: () => void
  /**
   * Called for each line that is damaged, for example by a crash. Such lines are left out, and an empty file is
   * accepted. Default: both are problems.
   */
  readonly damaged?: (place: string, isLast: boolean) => void
}

/**
 * Reads the JSON values of a file: one document, or one value per line.
 *
 * @throws `usage-invalid` for a file that is too large, contains NUL, or is not JSON
 */
export async function readDocuments(
  { path, shown }: TraceFile,
  { foundKey, damaged }: DocumentReading = {},
): Promise<readonly TraceDocument[]> {
  const { size } = await stat(path)
  if (size > maxBytes) throw usageInvalid('source', `${shown} has ${size} bytes, and at most ${maxBytes} are read.`)
  const raw = await readFile(path, 'utf8')
  const text = foundKey === undefined ? raw : withoutHostSecrets(raw)
  // Nothing has been written to the file yet.
  if (damaged !== undefined && text.trim() === '') return []
  const whole = parseOrUndefined(text)
  const documents = whole === undefined ? lineDocuments(text, shown, damaged) : [{ value: whole as Json, place: '' }]
  const problems = documents.flatMap(({ value, place }) => hostileParts(value, place))
  if (problems.length > 0) throw unreadable(shown, problems)
  if (foundKey === undefined) return documents
  return documents.map(({ value, place }) => ({ place, value: withoutKeysIn(value, foundKey) }))
}

function lineDocuments(text: string, shown: string, damaged: DocumentReading['damaged']): readonly TraceDocument[] {
  const documents: TraceDocument[] = []
  const problems: string[] = []
  const lines = text.trimEnd().split('\n')
  lines.forEach((line, index) => {
    if (line.trim() === '') return
    const [value, place] = [parseOrUndefined(line), `line ${index + 1}`]
    if (value !== undefined) documents.push({ value: value as Json, place })
    else if (damaged !== undefined) damaged(place, index === lines.length - 1)
    else problems.push(`${place} is not JSON`)
  })
  if (documents.length === 0) throw unreadable(shown, ['it is not JSON'])
  if (problems.length > 0) throw unreadable(shown, problems)
  return documents
}

/** Builds the error of a file, with all its problems and their places. */
export function unreadable(shown: string, problems: readonly string[]): Error {
  const listed = problems.slice(0, maxProblems).map((problem) => `\n  ${problem}`)
  const more = problems.length > maxProblems ? `\n  and ${problems.length - maxProblems} more` : ''
  return usageInvalid('source', `${shown} cannot be imported. Nothing was stored.${listed.join('')}${more}`)
}

/**
 * Returns the places where a value is nested too deep or contains NUL. It is not recursive, since it limits the depth.
 */
export function hostileParts(value: Json, place: string): readonly string[] {
  const problems: string[] = []
  const waiting: { readonly value: Json; readonly at: string; readonly depth: number }[] = [
    { value, at: place, depth: 0 },
  ]
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const { value: part, at, depth } = one
    if (typeof part === 'string' && part.includes('\0')) problems.push(`${at || 'it'} contains NUL`)
    if (typeof part !== 'object' || part === null) continue
    if (depth >= maxDepth) {
      problems.push(`${at} is nested deeper than ${maxDepth}`)
      continue
    }
    for (const [key, entry] of Object.entries(part)) {
      if (key.includes('\0')) problems.push(`${at || 'it'} has a key with NUL`)
      const name = Array.isArray(part) ? `${at}[${key}]` : at === '' ? key : `${at}.${key}`
      waiting.push({ value: entry as Json, at: name, depth: depth + 1 })
    }
  }
  return problems
}

/** Shorter strings cannot contain a key. */
const shortest = 8

/**
 * Replaces what looks like a key in the strings of a JSON value by `***`: headers with a key, bearer tokens, keys with
 * the prefix of a service. The value must not be nested deeply.
 *
 * @param found called for each string that was changed
 */
export function withoutKeysIn(value: Json, found: () => void): Json {
  if (typeof value === 'string') {
    if (value.length < shortest) return value
    const clean = withoutKeys(value)
    if (clean !== value) found()
    return clean
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one: Json) => withoutKeysIn(one, found))
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutKeysIn(one as Json, found)]))
}
