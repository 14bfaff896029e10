import { isPlainObject } from '@jurist/core/internal'
import { parseLines } from '@jurist/kit/json'

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

function isHeader(value: unknown): value is { readonly [name: string]: unknown } {
  return isPlainObject(value) && value['type'] === 'header'
}
