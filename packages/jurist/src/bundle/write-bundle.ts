import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { RunResult } from '@jurist/experiment/result'
import { parseOrUndefined } from '@jurist/kit/json'
import { packTar, type TarSource } from 'modern-tar/fs'
import { type BundledFile, type BundleManifest, directoryOf, manifestName, withRedactedSum } from './manifest.js'

/** Constant metadata for every file, so that equal runs make equal bundles. */
const plain = { mtime: new Date(0), mode: 0o644, uid: 0, gid: 0, uname: '', gname: '' } as const

/** Writes the manifest, then the files in its order. The bundle appears when it is complete. */
export async function writeBundle(
  path: string,
  manifest: Omit<BundleManifest, 'files' | 'schemaVersion'>,
  files: readonly SourceFile[],
): Promise<void> {
  const listed: BundleManifest = {
    schemaVersion: 1,
    ...manifest,
    files: files.map(({ path, size, sha256 }) => ({ path, size, sha256 })),
  }
  const sources: readonly TarSource[] = [
    { type: 'content', content: `${JSON.stringify(listed, null, 2)}\n`, target: manifestName, ...plain },
    ...files.map((file): TarSource => ({ type: 'file', source: file.source, target: file.path, ...plain })),
  ]
  const unfinished = `${path}.${process.pid}.tmp`
  try {
    await pipeline(packTar(sources), createGzip({ level: 6 }), createWriteStream(unfinished))
    await rename(unfinished, path)
  } finally {
    await rm(unfinished, { force: true })
  }
}

/** A file on disk, with its path in the bundle. */
export interface SourceFile extends BundledFile {
  readonly source: string
}

/** Returns the files of runs, sorted by path, and the number of links and special files that were left out. */
export async function collect(
  results: string,
  runs: readonly RunResult[],
  { journals, workspaces }: { readonly journals: boolean; readonly workspaces: boolean },
): Promise<{ readonly files: readonly SourceFile[]; readonly leftOut: number }> {
  const files: SourceFile[] = []
  let leftOut = 0
  const add = async (path: string): Promise<void> => {
    const source = join(results, path)
    const found = await lstat(source).catch(() => undefined)
    if (found === undefined) return
    if (found.isDirectory()) for (const name of await readdir(source)) await add(`${path}/${name}`)
    else if (found.isFile()) files.push({ path, source, ...(await contents(source)) })
    else leftOut += 1
  }
  for (const run of runs) {
    const home = directoryOf(run)
    const parts = ['run.json', 'items.jsonl', ...(journals ? ['journal'] : []), ...(workspaces ? ['workspaces'] : [])]
    for (const part of parts) await add(`${home}/${part}`)
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1))
  return { files, leftOut }
}

async function contents(source: string): Promise<Pick<BundledFile, 'size' | 'sha256'>> {
  const hash = createHash('sha256')
  let size = 0
  await pipeline(createReadStream(source), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      size += chunk.length
      hash.update(chunk)
    }
  })
  return { size, sha256: hash.digest('hex') }
}

const replacement = '***'

/**
 * Copies files to `directory` and replaces every match of the patterns by `***`. In JSON and JSON Lines, it searches
 * the strings, so that the copies stay valid; it searches other files byte by byte.
 *
 * @returns the copies and the number of matches
 */
export async function redactFiles(
  files: readonly SourceFile[],
  patterns: readonly RegExp[],
  directory: string,
): Promise<{ readonly files: readonly SourceFile[]; readonly redacted: number }> {
  let redacted = 0
  const replaced = replacer(patterns, () => {
    redacted += 1
  })
  const uncounted = replacer(patterns, () => undefined)
  const copies: SourceFile[] = []
  for (const file of files) {
    const bytes = await readFile(file.source)
    let text = redactedText(file.path, bytes, replaced)
    // The record of a run, not a file of the same name that an agent left.
    if (/^[^/]+\/[^/]+\/run\.json$/.test(file.path)) {
      const trials = await readFile(join(dirname(file.source), trialsFile)).catch(() => Buffer.alloc(0))
      const redact = (found: Buffer) => redactedText(trialsFile, found, uncounted)
      text = Buffer.from(
        `${withRedactedSum(text.toString('utf8').trimEnd(), bytes.toString('utf8'), trials, redact)}\n`,
      )
    }
    const source = join(directory, file.path)
    await mkdir(dirname(source), { recursive: true })
    await writeFile(source, text)
    copies.push({ path: file.path, source, size: text.length, sha256: createHash('sha256').update(text).digest('hex') })
  }
  return { files: copies, redacted }
}

const trialsFile = 'items.jsonl'

function replacer(patterns: readonly RegExp[], onMatch: () => void): (text: string) => string {
  return (text) =>
    patterns.reduce(
      (rest, pattern) =>
        rest.replaceAll(pattern, (match) => {
          if (match === '') return match
          onMatch()
          return replacement
        }),
      text,
    )
}

function redactedText(path: string, bytes: Buffer, replaced: (text: string) => string): Buffer {
  if (path.endsWith('.jsonl')) {
    const lines = bytes.toString('utf8').split('\n')
    return Buffer.from(lines.map((line) => redactedJson(line, replaced)).join('\n'))
  }
  if (path.endsWith('/run.json')) return Buffer.from(`${redactedJson(bytes.toString('utf8'), replaced)}\n`)
  const isText = bytes.toString('utf8').includes('\uFFFD') === false
  return isText
    ? Buffer.from(replaced(bytes.toString('utf8')))
    : Buffer.from(replaced(bytes.toString('latin1')), 'latin1')
}

function redactedJson(text: string, replaced: (text: string) => string): string {
  if (text.trim() === '') return text
  const value = parseOrUndefined(text)
  return value === undefined ? replaced(text) : JSON.stringify(redactedValue(value, replaced))
}

function redactedValue(value: unknown, replaced: (text: string) => string): unknown {
  if (typeof value === 'string') return replaced(value)
  if (Array.isArray(value)) return value.map((element) => redactedValue(element, replaced))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [replaced(key), redactedValue(entry, replaced)]),
  )
}
