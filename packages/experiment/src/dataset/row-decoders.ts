import { readFile } from 'node:fs/promises'
import { isPlainObject, printed } from '@jurist/core/internal'
import { sha256 } from './hash.js'
import { utf8 } from './json-file.js'
import { parseJson } from './json-text.js'
import type { Decode, Row, RowFile, RowReading } from './row-file.js'
import { recordFile } from './row-file.js'

/** A file with a JSON object on each line. */
export function jsonLines(path: string): Promise<RowFile> {
  return recordFile(path, 'lines', (text) => {
    const reading = parseJson(text)
    if (reading.ok) return objectRow(reading.value)
    return {
      ok: false,
      problem: `is not JSON: column ${reading.column}: ${reading.problem}.`,
      remedy: 'Correct it there.',
    }
  })
}

function objectRow(value: unknown): RowReading {
  if (isPlainObject(value)) return { ok: true, values: value }
  return { ok: false, problem: `must be an object, not ${printed(value)}.`, remedy: 'Write {"task": …}.' }
}

/** A file of comma-separated values with a header (RFC 4180). */
export async function csvRows(path: string): Promise<RowFile> {
  const { decode, hasHeader } = await csvDecoder()
  const file = await recordFile(path, 'csv', decode)
  return {
    ...file,
    async *scan(signal) {
      yield* file.scan(signal)
      if (!hasHeader()) yield [{ place: { number: 1, offset: 0, length: 0 }, reading: noHeader }]
    },
  }
}

const noHeader: RowReading = {
  ok: false,
  problem: 'has no header.',
  remedy: 'Begin with a line of column names, such as id,task.',
}

/** A decoder that takes its first record for the header. */
async function csvDecoder(): Promise<{ readonly decode: Decode; readonly hasHeader: () => boolean }> {
  const { default: papa } = await import('papaparse')
  let header: readonly string[] | undefined
  const decode: Decode = (text) => {
    const { data, errors } = papa.parse<string[]>(text, { delimiter: ',', newline: '\n' })
    const [error] = errors
    const fields = data[0] ?? []
    if (error !== undefined) {
      header ??= fields
      return {
        ok: false,
        problem: `is not CSV: ${error.message}.`,
        remedy: 'Enclose the field in quotes; double quotes inside.',
      }
    }
    if (header === undefined) {
      header = fields
      return headerProblem(header)
    }
    if (fields.length > header.length) {
      const problem = `has ${fields.length} fields, but the header names ${header.length}.`
      return { ok: false, problem, remedy: 'Enclose fields that contain a comma in quotes.' }
    }
    return { ok: true, values: Object.fromEntries(header.map((name, index) => [name, fields[index] ?? ''])) }
  }
  return { decode, hasHeader: () => header !== undefined }
}

function headerProblem(header: readonly string[]): RowReading | undefined {
  const twice = header.find((name, index) => header.indexOf(name) !== index)
  if (twice === undefined) return undefined
  return { ok: false, problem: `names the column ${printed(twice)} twice.`, remedy: 'Give each column its own name.' }
}

/** A file with one list of JSON objects. It is read as a whole. */
export async function jsonList(path: string): Promise<RowFile> {
  const bytes = await readFile(path)
  const rows = listRows(bytes)
  const readingAt = (position: number): RowReading => rows[position]?.reading ?? objectRow(undefined)
  return {
    // Only the fault of a file without a list stands at place 0.
    place: (number) => (number === 0 ? '' : `[${number - 1}]`),
    scan: async function* () {
      yield rows
    },
    hash: () => sha256(bytes),
    read: async function* (extents, wanted) {
      for (const [position, { offset }] of extents.entries())
        if (wanted(position)) yield [{ position, reading: readingAt(offset) }]
    },
    readAt: async ({ offset }) => readingAt(offset),
  }
}

function listRows(bytes: Uint8Array): readonly Row[] {
  const fault = (problem: string, remedy: string): readonly Row[] => {
    return [{ place: { number: 0, offset: 0, length: 0 }, reading: { ok: false, problem, remedy } }]
  }
  const text = utf8(bytes)
  if (text === undefined) return fault('is not UTF-8.', 'Save it as UTF-8.')
  const json = parseJson(text)
  if (!json.ok)
    return fault(`is not JSON: line ${json.line}, column ${json.column}: ${json.problem}.`, 'Correct it there.')
  if (!Array.isArray(json.value)) return fault('must hold a list of objects.', 'Write [{"task": …}, …].')
  return json.value.map((value, index) => {
    return { place: { number: index + 1, offset: index, length: 1 }, reading: objectRow(value) }
  })
}
