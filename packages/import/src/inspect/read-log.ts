import { type FileHandle, open, readFile, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import type { Json, JsonObject } from '@jurist/core'
import { failureOf, isPlainObject } from '@jurist/core/internal'
import { parseOrUndefined } from '@jurist/kit/json'
import { withoutHostSecrets } from '@jurist/workspace/internal'
import * as v from 'valibot'
import { checked, dollars, json, maybe, placed, record, text, tokens, unknownFields } from '../traces/checked.js'
import { hostileParts, type TraceFile, unreadable, withoutKeysIn } from '../traces/trace-files.js'

const number = v.pipe(v.number('must be a number'), v.finite('must be finite'))

const seconds = v.pipe(number, v.minValue(0, 'must be at least 0'))

const id = v.union([text, number], 'must be a string or a number')

const part = v.looseObject({ type: text, text: maybe(text), reasoning: maybe(text), summary: maybe(text) })

const content = v.union([text, v.array(part)], 'must be a string or an array of parts')

const toolCall = v.looseObject({ id: maybe(text), function: text, arguments: maybe(json) })

const message = v.looseObject({
  role: v.picklist(['system', 'user', 'assistant', 'tool'], 'must be system, user, assistant or tool'),
  content: maybe(content),
  model: maybe(text),
  tool_calls: maybe(v.array(toolCall)),
  tool_call_id: maybe(text),
  function: maybe(text),
  error: maybe(v.looseObject({ type: maybe(text), message: maybe(text) })),
})

const usage = v.looseObject({
  input_tokens: maybe(tokens),
  output_tokens: maybe(tokens),
  input_tokens_cache_read: maybe(tokens),
  input_tokens_cache_write: maybe(tokens),
  reasoning_tokens: maybe(tokens),
  total_cost: maybe(dollars),
})

const score = v.looseObject({
  value: maybe(json),
  answer: maybe(text),
  explanation: maybe(text),
  metadata: maybe(record),
})

/** A sample in one epoch. */
const sample = v.looseObject({
  id,
  epoch: v.pipe(
    v.number('must be a number'),
    v.safeInteger('must be a whole number'),
    v.minValue(1, 'must be at least 1'),
  ),
  input: v.union([text, v.array(message)], 'must be a string or an array of messages'),
  target: maybe(v.union([text, v.array(text)], 'must be a string or an array of strings')),
  messages: maybe(v.array(message)),
  output: maybe(
    v.looseObject({
      model: maybe(text),
      completion: maybe(text),
      choices: maybe(v.array(v.looseObject({ message: maybe(v.looseObject({ content: maybe(content) })) }))),
    }),
  ),
  scores: maybe(v.record(text, score)),
  score: maybe(score),
  metadata: maybe(record),
  model_usage: maybe(v.record(text, usage)),
  total_time: maybe(seconds),
  working_time: maybe(seconds),
  uuid: maybe(text),
  error: maybe(v.looseObject({ message: text })),
  limit: maybe(v.looseObject({ type: text, limit: maybe(number), reason: maybe(text) })),
  attachments: maybe(v.record(text, text)),
  choices: maybe(json),
  started_at: maybe(text),
  completed_at: maybe(text),
})

const metric = v.looseObject({ name: maybe(text), value: maybe(json), params: maybe(record), options: maybe(record) })

const result = v.looseObject({
  name: text,
  scorer: maybe(text),
  reducer: maybe(text),
  metrics: maybe(v.record(text, metric)),
})

/** A log without its samples. */
const header = v.looseObject({
  version: v.picklist([1, 2, 3], 'must be 1, 2 or 3: other versions of the format are not read'),
  status: maybe(text),
  eval: v.looseObject({
    task: text,
    model: text,
    created: maybe(text),
    eval_id: maybe(text),
    run_id: maybe(text),
    task_id: maybe(text),
    dataset: maybe(v.looseObject({ name: maybe(text), samples: maybe(number), sample_ids: maybe(v.array(id)) })),
    config: maybe(v.looseObject({ epochs: maybe(number), epochs_reducer: maybe(v.array(text)) })),
    packages: maybe(record),
  }),
  results: maybe(
    v.looseObject({
      total_samples: maybe(number),
      completed_samples: maybe(number),
      scores: maybe(v.array(result)),
      headline: maybe(v.looseObject({ scorer: maybe(text), score: maybe(text) })),
    }),
  ),
  error: maybe(v.looseObject({ message: text })),
})

export type InspectHeader = v.InferOutput<typeof header>

export type InspectSample = v.InferOutput<typeof sample>

export type InspectMessage = v.InferOutput<typeof message>

export type InspectResult = v.InferOutput<typeof result>

/** Known fields of a sample that have no counterpart. */
const leftOut: ReadonlySet<string> = new Set([
  ...['sandbox', 'files', 'setup', 'store', 'events', 'events_data', 'transcript', 'message_pool', 'role_usage'],
  ...['error_retries', 'turn_count', 'message_limit', 'token_limit', 'time_limit', 'working_limit', 'cost_limit'],
])

/** Returns the fields of a sample that are neither in the schema nor in `leftOut`. */
export function unknownOf(value: InspectSample): JsonObject {
  return Object.fromEntries(Object.entries(unknownFields(value, sample) ?? {}).filter(([key]) => !leftOut.has(key)))
}

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

interface ZipFile extends AsyncDisposable {
  /** The names of the files, in the order of the archive. */
  readonly names: readonly string[]
  /**
   * Returns the bytes of a file.
   *
   * @throws `Error` with the problem if the file is damaged
   */
  readonly read: (name: string) => Promise<Buffer>
}

const maxEntries = 200_000
const maxDirectoryBytes = 128 * 1024 * 1024
const maxFileBytes = 256 * 1024 * 1024
const maxTotalBytes = 16 * 1024 ** 3
/** The longest end record: 22 bytes and a comment. */
const maxEndBytes = 22 + 0xffff

const signatures = { end: 0x06054b50, entry: 0x02014b50, local: 0x04034b50 }
const encrypted = 0x1

/**
 * Opens a zip archive (APPNOTE 6.3.10 of PKWARE) for reading. Nothing is unpacked to disk.
 *
 * @throws `Error` if the file is not an archive, contains a name twice, or exceeds the limits
 */
async function openZip(path: string): Promise<ZipFile> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    const entries = await entriesOf(file, size)
    return {
      names: [...entries.keys()],
      async read(name) {
        const entry = entries.get(name)
        if (entry === undefined) throw new Error(`it has no ${name}`)
        return unpacked(entry, await packed(file, entry, size))
      },
      [Symbol.asyncDispose]: () => file.close(),
    }
  } catch (thrown) {
    await file.close()
    throw thrown
  }
}

async function bytesAt(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset)
  if (bytesRead < length) throw new Error('it ends too early')
  return buffer
}

async function entriesOf(file: FileHandle, size: number): Promise<ReadonlyMap<string, Entry>> {
  const tail = await bytesAt(file, Math.max(0, size - maxEndBytes), Math.min(size, maxEndBytes))
  const end = endRecord(tail)
  if (end === undefined) throw new Error('it is not a zip archive, or it is truncated')
  const { count, bytes, offset } = end
  if (count === 0xffff || offset === 0xffffffff) throw new Error('it is larger than 4 GB, and those are not read')
  if (count > maxEntries) throw new Error(`it has ${count} files, and at most ${maxEntries} are read`)
  if (bytes > maxDirectoryBytes || offset + bytes > size) throw new Error('its directory is damaged')
  return directoryOf(await bytesAt(file, offset, bytes), count)
}

/** Reads the record at the end of an archive, which a comment may follow. */
function endRecord(tail: Buffer) {
  for (let at = tail.length - 22; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== signatures.end || at + 22 + tail.readUInt16LE(at + 20) !== tail.length) continue
    return { count: tail.readUInt16LE(at + 10), bytes: tail.readUInt32LE(at + 12), offset: tail.readUInt32LE(at + 16) }
  }
  return undefined
}

function directoryOf(directory: Buffer, count: number): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>()
  let [at, total] = [0, 0]
  while (entries.size < count) {
    const entry = entryAt(directory, at)
    checkEntry(entry, entries)
    entries.set(entry.name, entry)
    at = entry.next
    total += entry.bytes
  }
  if (total > maxTotalBytes) throw new Error(`its files have ${total} bytes, and at most ${maxTotalBytes} are read`)
  return entries
}

type Entry = ReturnType<typeof entryAt>

/** Reads the description of a file in the directory of an archive, and the position of the next one. */
function entryAt(directory: Buffer, at: number) {
  if (at + 46 > directory.length || directory.readUInt32LE(at) !== signatures.entry)
    throw new Error('its directory is damaged')
  const end = at + 46 + directory.readUInt16LE(at + 28)
  return {
    name: directory.toString('utf8', at + 46, end),
    flags: directory.readUInt16LE(at + 8),
    method: directory.readUInt16LE(at + 10),
    crc: directory.readUInt32LE(at + 16),
    packedBytes: directory.readUInt32LE(at + 20),
    bytes: directory.readUInt32LE(at + 24),
    offset: directory.readUInt32LE(at + 42),
    next: end + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32),
  }
}

function checkEntry({ name, flags, bytes, packedBytes }: Entry, known: ReadonlyMap<string, Entry>): void {
  const shown = JSON.stringify(name)
  if (known.has(name)) throw new Error(`it holds ${shown} twice`)
  if (name.startsWith('/') || name.includes('\\') || name.includes('\0') || name.split('/').includes('..'))
    throw new Error(`${shown} is not a valid name within an archive`)
  if ((flags & encrypted) !== 0) throw new Error(`${shown} is encrypted`)
  if (bytes > maxFileBytes || packedBytes > maxFileBytes)
    throw new Error(`${shown} has ${Math.max(bytes, packedBytes)} bytes, and at most ${maxFileBytes} are read`)
}

/** Returns the packed bytes of an entry, which follow a second header. */
async function packed(file: FileHandle, { name, offset, packedBytes }: Entry, size: number): Promise<Buffer> {
  const header = await bytesAt(file, offset, 30)
  if (header.readUInt32LE(0) !== signatures.local) throw new Error(`${name} is damaged`)
  const start = offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
  if (start + packedBytes > size) throw new Error(`${name} is damaged`)
  return bytesAt(file, start, packedBytes)
}

type Unpack = (packed: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>

const inflate = promisify(zlib.inflateRaw) as Unpack

/** Available from Node 22.15. */
const zstd = (zlib as { readonly zstdDecompress?: unknown }).zstdDecompress as
  | ((...given: readonly unknown[]) => void)
  | undefined

const zstdMethod = 93

async function unpacked(entry: Entry, bytes: Buffer): Promise<Buffer> {
  const whole = await unpackedBy(entry, bytes).catch(
    (thrown: { readonly code?: unknown; readonly message?: string }) => {
      // Errors of zlib have a code; those of this file do not.
      throw thrown.code === undefined ? thrown : new Error(`${entry.name} is damaged`)
    },
  )
  if (whole.length !== entry.bytes || zlib.crc32(whole) !== entry.crc) throw new Error(`${entry.name} is damaged`)
  return whole
}

async function unpackedBy({ name, method, bytes }: Entry, given: Buffer): Promise<Buffer> {
  // The limit stops an entry that unpacks to more than its declared size.
  const limit = { maxOutputLength: Math.max(1, bytes) }
  if (method === 0) return given
  if (method === 8) return inflate(given, limit)
  if (method !== zstdMethod) throw new Error(`${name} is packed by method ${method}, which is not read`)
  if (zstd === undefined)
    throw new Error(
      `it is packed by Zstandard, which Node ${process.versions.node} cannot read. Use Node 22.15 or newer, or convert it: inspect log convert --to json --output-dir DIR LOG`,
    )
  return (promisify(zstd) as Unpack)(given, limit)
}
