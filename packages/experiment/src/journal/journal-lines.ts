import { isPlainObject } from '@jurist/core/internal'
import { parseLines, parseOrUndefined } from '@jurist/kit/json'

/** The content of a journal file. */
export interface JournalLines {
  /** What the first line says about the trial; `undefined` when there is no such line. */
  readonly header: { readonly [name: string]: unknown } | undefined
  /** The value of each further line, in order; `undefined` for a damaged line. */
  readonly records: readonly unknown[]
}

/** Reads the text of a journal. */
export function journalLines(text: string): JournalLines {
  const values = parseLines(text)
  return { header: values.find(isHeader), records: values.filter((value) => !isHeader(value)) }
}

/** A part of a journal. Only the lines of the part are parsed, since a journal may have many megabytes. */
export interface JournalPart {
  /** The value of each line of the part; `undefined` for a damaged line. */
  readonly records: readonly unknown[]
  /** The number of records in the journal. */
  readonly total: number
  /** The first record, as it was written; '' without one. */
  readonly start: string
}

/** Reads `most` records of a journal, beginning with the record `from`. */
export function journalPart(text: string, from: number, most: number): JournalPart {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const own = isHeader(parseOrUndefined(lines[0] ?? '')) ? lines.slice(1) : lines
  return { records: own.slice(from, from + most).map(parseOrUndefined), total: own.length, start: own[0] ?? '' }
}

function isHeader(value: unknown): value is { readonly [name: string]: unknown } {
  return isPlainObject(value) && value['type'] === 'header'
}
