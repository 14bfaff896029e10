import { csvCell } from '@jurist/experiment/internal/results'
import type { ItemRow, ItemsDocument } from '../../src/answers/items.js'
import type { Source } from '../documents.js'
import { outcomeWord } from '../marks.js'
import type { TableShape } from './item-columns.js'

const pageSize = 500

/** All rows that match a query, with the columns of the table, as CSV. Numbers are without units, texts are whole. */
export async function itemsCsv(
  source: Source,
  path: readonly string[],
  query: string,
  shape: TableShape,
): Promise<string> {
  const cells = cellsOf(shape)
  const rows: ItemRow[] = []
  for (let total = 1; rows.length < total; ) {
    const search = new URLSearchParams(query)
    for (const [name, value] of Object.entries({ offset: rows.length, limit: pageSize, texts: 'whole' }))
      search.set(name, String(value))
    const page = (await source(path, search)) as ItemsDocument | undefined
    if (page === undefined || page.rows.length === 0) break
    total = page.total
    rows.push(...page.rows)
  }
  const lines = [cells.map(([title]) => title), ...rows.map((row) => cells.map(([, of]) => of(row)))]
  return lines.map((line) => `${line.map(csvCell).join(',')}\r\n`).join('')
}

type CsvColumn = readonly [title: string, of: (row: ItemRow) => string | number | null]

function cellsOf({ byItem, grid, columns }: TableShape): readonly CsvColumn[] {
  const attempts = grid.map(({ name }, at): CsvColumn => [name, ({ cells }) => cellText(cells[at] ?? null)])
  const passed: readonly CsvColumn[] = byItem
    ? [
        ['Passed', ({ passes }) => passes],
        ['Decided', ({ decided }) => decided],
      ]
    : [
        ['Repetition', ({ repetition }) => repetition],
        ['Outcome', ({ outcome }) => outcomeWord(outcome)],
      ]
  return [
    ['Item', ({ itemId }) => itemId],
    ...attempts,
    ...passed,
    ...columns.map(({ name, cell, value = cell }): CsvColumn => [name, value]),
  ]
}

/** Not `1/2`, which a spreadsheet would read as a date. */
function cellText(cell: ItemRow['cells'][number]): string {
  if (cell === null) return ''
  const { outcome, passes, decided, trials } = cell
  return trials === 1 ? outcomeWord(outcome) : `${passes} of ${decided}`
}
