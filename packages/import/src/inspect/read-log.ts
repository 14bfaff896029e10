import { readFile, stat } from 'node:fs/promises'
import type { Json } from '@jurist/core'
import { failureOf, isPlainObject } from '@jurist/core/internal'
import { parseOrUndefined } from '@jurist/kit/json'
import { withoutHostSecrets } from '@jurist/workspace/internal'
import type * as v from 'valibot'
import { withoutKeysIn } from '../keys-in-json.js'
import { checked, placed } from '../traces/checked.js'
import { hostileParts, type TraceFile, unreadable } from '../traces/trace-files.js'
import { header, type InspectHeader, type InspectSample, sample } from './log-schema.js'
import { openZip, type ZipFile } from './zip.js'

/** Python's notation for numbers that JSON lacks. */
const notJson = /(-?)(?:Infinity|NaN)/g

/**
 * Parses JSON as Python writes it, with `NaN` and `Infinity` as numbers. They become `null`, except that an infinite
 * score or metric becomes the string `Infinity` or `-Infinity`. NUL, which no database accepts, becomes U+FFFD. Returns
 * `undefined` for invalid JSON.
 */
function parsePythonJson(text: string): Json | undefined {
  const plain = text.includes('\\u0000') ? text.replace(/(?<!\\)((?:\\\\)*)\\u0000/g, '$1\\ufffd') : text
  const value = parseOrUndefined(plain)
  if (value !== undefined) return value as Json
  const read = parseOrUndefined(withoutNotNumbers(plain))
  return read === undefined ? undefined : finite(read as Json, false)
}

/** Replaces infinities by `null`, but below a key `value`, which holds scores, by strings. */
function finite(value: Json, isScore: boolean): Json {
  if (typeof value === 'number') return Number.isFinite(value) ? value : isScore ? String(value) : null
  if (Array.isArray(value)) return value.map((entry: Json) => finite(entry, isScore))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, finite(entry as Json, isScore || key === 'value')]),
  )
}

/** Replaces NaN by `null` and Infinity by a number that overflows. Strings stay unchanged. */
function withoutNotNumbers(text: string): string {
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    const start = text.indexOf('"', at)
    const end = start === -1 ? text.length : start
    parts.push(text.slice(at, end).replace(notJson, (word, sign) => (word === 'NaN' ? 'null' : `${sign}1e999`)))
    at = start === -1 ? end : endOfString(text, start)
    parts.push(text.slice(end, at))
  }
  return parts.join('')
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5c) at++
    else if (code === 0x22) return at + 1
  }
  return text.length
}

export interface InspectLog {
  readonly header: InspectHeader
  /** The samples of all epochs, in the order of the log. Each can be read only once and is not kept. */
  readonly samples: AsyncIterable<InspectSample>
  /** Whether the log has no results, because its evaluation is running or was killed. */
  readonly isUnfinished: boolean
  /** The number of strings so far in which `***` replaced what looks like a key. */
  readonly keys: () => number
}

interface Reading extends TraceFile {
  readonly foundKey: () => void
}

const maxJsonBytes = 256 * 1024 * 1024

/**
 * Reads a log and calls `use` with it, or with `undefined` for JSON that is not a log.
 *
 * @throws `usage-invalid` with every problem of the header, or of the first sample that has one
 */
export async function withLog<Result>(
  given: TraceFile,
  use: (log: InspectLog | undefined) => Promise<Result>,
): Promise<Result> {
  let found = 0
  const file: Reading = { ...given, foundKey: () => void found++ }
  const keys = () => found

  if (file.path.endsWith('.eval')) {
    await using zip = await openZip(file.path).catch((thrown) => refuse(file, [failureOf(thrown).message]))
    return await use({ ...(await zippedLog(file, zip)), keys })
  }
  const { size } = await stat(file.path)
  if (size > maxJsonBytes)
    refuse(file, [
      `it has ${size} bytes, and at most ${maxJsonBytes} are read. Convert it: inspect log convert --to eval --output-dir DIR LOG`,
    ])
  const log = parsed(file, await readFile(file.path, 'utf8'), '')
  // Directories of logs contain other JSON as well, such as that of a set of evaluations.
  if (!isPlainObject(log) || log['eval'] === undefined) return use(undefined)
  const { samples } = log
  const read = checkedOf(file, header, log, '')
  const all = Array.isArray(samples) ? (samples as readonly Json[]) : []
  return use({ header: read, samples: listed(file, all), isUnfinished: read.status === 'started', keys })
}

function refuse(file: TraceFile, problems: readonly string[]): never {
  throw unreadable(file.shown, problems)
}

async function zippedLog(file: Reading, zip: ZipFile): Promise<Omit<InspectLog, 'keys'>> {
  const isUnfinished = !zip.names.includes('header.json')
  const first = isUnfinished ? '_journal/start.json' : 'header.json'
  const read = checkedOf(file, header, await entryOf(file, zip, first), first)
  const names = zip.names.filter((name) => /^samples\/[^/]+\.json$/.test(name))
  async function* samples() {
    for (const name of names) yield checkedOf(file, sample, await entryOf(file, zip, name), name)
  }
  return { header: read, samples: samples(), isUnfinished }
}

async function* listed(file: TraceFile, samples: readonly Json[]): AsyncGenerator<InspectSample> {
  for (const [at, one] of samples.entries()) yield checkedOf(file, sample, one, `samples[${at}]`)
}

async function entryOf(file: Reading, zip: ZipFile, name: string): Promise<Json> {
  const bytes = await zip.read(name).catch((thrown) => refuse(file, [failureOf(thrown).message]))
  return parsed(file, bytes.toString('utf8'), name)
}

function parsed(file: Reading, text: string, place: string): Json {
  const value = parsePythonJson(withoutHostSecrets(text))
  if (value === undefined) return refuse(file, [`${place || 'it'} is not JSON`])
  const hostile = hostileParts(value, place)
  return hostile.length === 0 ? withoutKeysIn(value, file.foundKey) : refuse(file, hostile)
}

function checkedOf<Schema extends v.GenericSchema>(
  file: TraceFile,
  schema: Schema,
  value: unknown,
  place: string,
): v.InferOutput<Schema> {
  const read = checked(schema, value)
  return 'value' in read
    ? read.value
    : refuse(
        file,
        read.problems.map((one) => placed(place, one)),
      )
}
