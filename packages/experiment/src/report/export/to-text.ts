import { csvCell } from '../escape/csv.js'
import type { ExportRow } from './row.js'

/**
 * Rows as CSV (RFC 4180, lines end in CRLF): the columns of the first row as a header, then a line a row. Objects and lists
 * are JSON; a text that a spreadsheet would take for a formula gets an apostrophe in front. No rows: no text.
 *
 * @example
 * for await (const line of toCsv(exportRows([result], 'items'))) process.stdout.write(line)
 */
export async function* toCsv(rows: AsyncIterable<ExportRow>): AsyncGenerator<string, void> {
  let columns: readonly string[] | undefined
  for await (const row of rows) {
    if (columns === undefined) {
      columns = Object.keys(row)
      yield `${columns.map(csvCell).join(',')}\r\n`
    }
    yield `${columns.map((column) => csvCell(row[column])).join(',')}\r\n`
  }
}

/**
 * Rows as JSON lines: an object a line, its keys in the order of the columns.
 *
 * @example
 * for await (const line of toJsonl(exportRows([result], 'checks'))) process.stdout.write(line)
 */
export async function* toJsonl(rows: AsyncIterable<ExportRow>): AsyncGenerator<string, void> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`
}
