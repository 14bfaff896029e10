import { isUtf8 } from 'node:buffer'
import { createHash, hash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import type { Json } from '@jurist/core'
import { pathOf, shownPath } from '@jurist/workspace/internal'
import type { UnhashedItem } from './item.js'
import type { Spot } from './problem.js'

/** A JSON value as a string, with sorted keys and without white space: equal values give equal strings. */
export function canonicalJson(value: Json): string {
  if (value === null) return 'null'
  if (typeof value !== 'object') return JSON.stringify(value)
  let text = ''
  if (isList(value)) {
    for (const element of value) text += `${text === '' ? '' : ','}${canonicalJson(element)}`
    return `[${text}]`
  }
  const keys = Object.keys(value)
  if (keys.length > 1) keys.sort()
  for (const key of keys) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`
  return `{${text}}`
}

// Array.isArray does not narrow readonly arrays away.
function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

/** SHA-256 of a string (as UTF-8) or of bytes, as 64 hex digits. */
export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content)
}

/** How the parts of an item that are not themselves in its fields enter its hash. */
interface HashedParts {
  /** An array of files, the git triple, or `null`. */
  readonly before: Json
  readonly reference: Json
  /** `null` where the input follows from other fields, as that of most rows does. */
  readonly input: Json
}

/** SHA-256 over everything of an item that defines its task. */
export function itemHash(item: UnhashedItem, { before, reference, input }: HashedParts): string {
  const { task, noChange, tags, knowledgeRefs, expectedOutput, referenceData, metadata } = item
  const { expectedAnyOf, image, judges, repetitions, timeoutMs } = item
  const always = { before, knowledgeRefs, metadata, noChange, reference, referenceData, tags, task }
  // Items without a value of these keep the hash that they had before there were such fields.
  const later = { expectedAnyOf: expectedAnyOf || null, image, input, judges, repetitions, timeoutMs }
  const given = Object.entries(later).filter(([, value]) => value !== null)
  return sha256(canonicalJson({ ...always, expectedOutput: expectedOutput as Json, ...Object.fromEntries(given) }))
}

const chunkBytes = 1024 * 1024
/** Other work gets a turn after this much. */
const bytesBetweenPauses = 16 * chunkBytes
const filesBetweenPauses = 100

/**
 * The contents of a directory, as (path, size in bytes, SHA-256) of every file, sorted by path. Links count by their
 * target and are never followed; `.git` directories are left out, as they are in workspaces.
 */
export async function treeContents(directory: string): Promise<Json> {
  const contents: [path: string, size: number, hash: string][] = []
  const buffer = Buffer.allocUnsafe(chunkBytes)
  let bytes = 0
  for (const { path, link } of filesBelow(directory)) {
    const absolute = join(directory, path)
    const [size, hash] = link ? [0, sha256(`link to ${readlinkSync(absolute)}`)] : contentOf(absolute, buffer)
    contents.push([path, size, hash])
    bytes += size
    if (bytes < bytesBetweenPauses && contents.length % filesBetweenPauses !== 0) continue
    bytes = 0
    await pause()
  }
  return contents.sort(([a], [b]) => (a < b ? -1 : 1))
}

interface Content {
  readonly path: string
  readonly link: boolean
}

/** Yields files and links, one directory after the other. */
function* filesBelow(directory: string, under = ''): Generator<Content, void> {
  for (const entry of readdirSync(join(directory, under), { withFileTypes: true })) {
    const path = under === '' ? entry.name : `${under}/${entry.name}`
    if (entry.isDirectory()) {
      if (entry.name !== '.git') yield* filesBelow(directory, path)
    } else if (entry.isFile() || entry.isSymbolicLink()) yield { path, link: entry.isSymbolicLink() }
  }
}

/** Reports the first name of a directory that is not UTF-8: hashes, and records of what changed, are over text. */
export function reportNames(directory: string, shown: string, { item, report }: Spot): void {
  const named = unnamable(directory)
  if (named === undefined) return
  const remedy = 'Rename it, or have a command of the task make it.'
  report({ file: `${shown}/${named}`, item, field: null, problem: 'has a name that is not UTF-8.', remedy })
}

function unnamable(directory: string): string | undefined {
  for (const entry of readdirSync(directory, { withFileTypes: true, encoding: 'buffer' })) {
    if (!isUtf8(entry.name)) return shownPath(pathOf(entry.name))
    const name = entry.name.toString()
    const below = entry.isDirectory() && name !== '.git' ? unnamable(join(directory, name)) : undefined
    if (below !== undefined) return `${shownPath(name)}/${below}`
  }
  return undefined
}

function contentOf(path: string, buffer: Buffer): readonly [size: number, hash: string] {
  const file = openSync(path, 'r')
  try {
    const hash = createHash('sha256')
    let size = 0
    for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) {
      hash.update(buffer.subarray(0, read))
      size += read
    }
    return [size, hash.digest('hex')]
  } finally {
    closeSync(file)
  }
}

/** A function that computes its value on the first call and always returns the same promise. */
export function once<Value>(compute: () => Promise<Value>): () => Promise<Value> {
  let result: Promise<Value> | undefined
  return () => {
    result ??= compute()
    return result
  }
}
