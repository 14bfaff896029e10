import { stat } from 'node:fs/promises'
import { isPlainObject, printed } from '@jurist/core/internal'
import { parseOrUndefined } from '@jurist/kit/json'
import { regularFileBytes } from '@jurist/kit/regular-file'
import { jsonFault, utf8 } from './json-file.js'

/** The values of a row by their keys. */
export type RowValues = Readonly<Record<string, unknown>>

/** The values of a row, or its problem. */
type Reading =
  | { readonly ok: true; readonly values: RowValues }
  | { readonly ok: false; readonly problem: string; readonly remedy: string }

export type Row = Reading & {
  /** Counts from 1: the line where the row begins, or its position in an array. 0 is the file as a whole. */
  readonly number: number
  /** How problems name the row: `line 7`, or `[6]`; `''` for the file as a whole. */
  readonly place: string
}

/** The largest file of rows that is read, in bytes: rows are kept in memory. */
export const maxRowFileBytes: number = 256 * 1024 * 1024

/** Reads the rows in the bytes of a file, in order. */
export type ReadRows = (bytes: Uint8Array) => Promise<readonly Row[]>

/** The bytes of a file of rows, or why they are not read. */
export async function rowFileBytes(path: string): Promise<Uint8Array | Row> {
  const { size } = await stat(path)
  if (size <= maxRowFileBytes) return regularFileBytes(path)
  const [limit, actual] = [maxRowFileBytes, size].map((bytes) => `${Math.ceil(bytes / 1024 / 1024)} MB`)
  return {
    ...bad(`holds ${actual}; a file of rows can hold ${limit}.`, 'Split it into several files, one experiment each.'),
    ...wholeFile,
  }
}

const wholeFile = { number: 0, place: '' }
const notUtf8 = bad('is not UTF-8.', 'Save the file as UTF-8.')

function bad(problem: string, remedy: string): Extract<Reading, { readonly ok: false }> {
  return { ok: false, problem, remedy }
}

function onLine(number: number, reading: Reading): Row {
  return { number, place: `line ${number}`, ...reading }
}

function objectIn(value: unknown): Reading {
  if (isPlainObject(value)) return { ok: true, values: value }
  return bad(`must be an object (got ${printed(value)}).`, 'Write {"task": …}.')
}

/** Reads a JSON object on each line. Blank lines are skipped. */
export async function readJsonLines(bytes: Uint8Array): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const [index, line] of linesOf(bytes).entries()) {
    if (line === undefined) rows.push(onLine(index + 1, notUtf8))
    else if (line.trim() !== '') {
      const value = parseOrUndefined(line)
      rows.push(onLine(index + 1, value === undefined ? await notJson(line) : objectIn(value)))
    }
  }
  return rows
}

async function notJson(line: string): Promise<Reading> {
  const { column, problem } = await jsonFault(line.trimEnd())
  return bad(`is not JSON: column ${column}: ${problem}.`, 'Correct it there.')
}

/** The lines of a file, without a byte order mark; `undefined` for each that is not UTF-8. */
function linesOf(bytes: Uint8Array): readonly (string | undefined)[] {
  const text = utf8(bytes)
  if (text !== undefined) return text.split('\n')
  const lines: (string | undefined)[] = []
  for (let start = 0; start <= bytes.length; ) {
    const end = bytes.indexOf(0x0a, start)
    lines.push(utf8(bytes.subarray(start, end === -1 ? bytes.length : end)))
    start = end === -1 ? bytes.length + 1 : end + 1
  }
  return lines
}

/** Reads comma-separated values with a header (RFC 4180). Blank lines are skipped. */
export async function readCsv(bytes: Uint8Array): Promise<readonly Row[]> {
  const text = utf8(bytes)
  if (text === undefined) return [onLine(linesOf(bytes).indexOf(undefined) + 1, notUtf8)]
  const rows: Row[] = []
  let header: readonly string[] | undefined
  for (const { line, fields, error } of await csvRecords(text)) {
    const isHeader = header === undefined
    header ??= fields
    const foreign = isHeader ? foreignForm(header) : undefined
    if (foreign !== undefined) return [onLine(line, foreign)]
    const twice = isHeader ? header.find((name, index) => header?.indexOf(name) !== index) : undefined
    if (error !== undefined)
      rows.push(onLine(line, bad(`is not CSV: ${error}.`, 'Enclose the field in quotes; double quotes inside.')))
    else if (twice !== undefined)
      rows.push(onLine(line, bad(`names the column ${printed(twice)} twice.`, 'Give each column its own name.')))
    else if (!isHeader) rows.push(onLine(line, csvRow(header, fields)))
  }
  return header === undefined ? [onLine(1, noHeader)] : rows
}

/** Detects, from the header, a separator other than a comma or line ends other than LF and CRLF. */
function foreignForm(header: readonly string[]): Reading | undefined {
  if (header.some((name) => /\r./s.test(name)))
    return bad('has lines that end with CR alone.', 'Save the file with LF or CRLF at the end of each line.')
  const [only = ''] = header
  const separator = header.length === 1 ? /[;\t|]/.exec(only)?.[0] : undefined
  if (separator === undefined) return undefined
  const shown = separator === '\t' ? 'tabs' : printed(separator)
  return bad(`is separated by ${shown}: its header is one column, ${printed(only)}.`, 'Separate the columns by commas.')
}

const noHeader = bad('has no header.', 'Begin with a line of column names, such as id,task.')

function csvRow(header: readonly string[], fields: readonly string[]): Reading {
  if (fields.length <= header.length)
    return { ok: true, values: Object.fromEntries(header.map((name, index) => [name, fields[index] ?? ''])) }
  const problem = `has ${fields.length} fields, but the header names ${header.length}.`
  return bad(problem, 'Enclose fields that contain a comma in quotes.')
}

interface CsvRecord {
  readonly line: number
  readonly fields: readonly string[]
  readonly error: string | undefined
}

/** The records of a CSV text that are not blank, each with the line where it begins. */
async function csvRecords(text: string): Promise<readonly CsvRecord[]> {
  const { default: papa } = await import('papaparse')
  const records: CsvRecord[] = []
  let start = 0
  let line = 1
  papa.parse<string[]>(text, {
    delimiter: ',',
    newline: '\n',
    step: ({ data, errors, meta: { cursor } }) => {
      const written = text.slice(start, cursor)
      if (written.trim() !== '') records.push({ line, fields: withoutReturn(data, written), error: errors[0]?.message })
      line += written.split('\n').length - 1
      start = cursor
    },
  })
  return records
}

/** With `\r\n` at the end of a line, an unquoted last field keeps the `\r`. */
function withoutReturn(fields: readonly string[], written: string): readonly string[] {
  const last = fields.at(-1)
  const isPartOfQuoted = written.endsWith('\r"\r\n') || !/\r\n?$/.test(written)
  return last?.endsWith('\r') && !isPartOfQuoted ? [...fields.slice(0, -1), last.slice(0, -1)] : fields
}

/** Reads a file that contains one JSON array of objects. */
export async function readJsonArray(bytes: Uint8Array): Promise<readonly Row[]> {
  const text = utf8(bytes)
  if (text === undefined) return [{ ...notUtf8, ...wholeFile }]
  const value = parseOrUndefined(text)
  if (value === undefined) {
    const { line, column, problem } = await jsonFault(text)
    return [{ ...bad(`is not JSON: line ${line}, column ${column}: ${problem}.`, 'Correct it there.'), ...wholeFile }]
  }
  if (!Array.isArray(value))
    return [{ ...bad('must hold an array of objects.', 'Write [{"task": …}, …].'), ...wholeFile }]
  return value.map((entry: unknown, index) => ({ ...objectIn(entry), number: index + 1, place: `[${index}]` }))
}
