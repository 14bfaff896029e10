import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseOrUndefined } from '@jurist/kit/json'
import { withRedactedSum } from './manifest.js'
import type { SourceFile } from './write-bundle.js'

const replacement = '***'

/**
 * Copies files to `directory` with every match of the patterns replaced by `***`. Searches the strings inside JSON and JSON
 * lines, so that the copies are valid JSON; searches other files byte by byte.
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
    if (isRecord(file.path)) {
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

/** Whether a path is the record of a run, not a file of the same name that an agent left. */
function isRecord(path: string): boolean {
  return /^[^/]+\/[^/]+\/run\.json$/.test(path)
}

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
