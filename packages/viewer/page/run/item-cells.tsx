import { percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { GridColumn, ItemCell } from '../../src/answers/item-cells.js'
import type { ItemRow } from '../../src/answers/items.js'
import { OutcomeSign, outcomeWord, SuspectMark } from '../marks.js'
import { changeQuery, namesIn, toggled } from '../router.js'
import { SortHeading } from '../table.js'
import { withTried } from '../text.js'
import { rowLink, type TableShape, tint } from './item-columns.js'

/** Returns the width of a column of the grid in rem: an attempt is a sign, a run has a name. */
export function cellWidth(isSeveral: boolean): number {
  return isSeveral ? 6.5 : 2.5
}

/** A cell of the grid: the sign of an attempt, or how many attempts of a run passed. It opens a trial. */
export function GridCell(props: {
  readonly cell: ItemCell | null
  readonly row: ItemRow
  readonly column: GridColumn
  readonly isCurrent: boolean
  readonly shape: TableShape
}): JSX.Element {
  const { cell, row, column, isCurrent, shape } = props
  const className = isCurrent ? 'grid-cell at' : 'grid-cell'
  if (cell === null) return <td class={className} />
  const { outcome, repetition, passes, decided, trials, suspects, tried } = cell
  const isOne = trials === 1
  const value = decided === 0 ? null : passes / decided
  const said = `${withTried(column.name, tried)}: ${isOne ? outcomeWord(outcome) : `${passes}/${decided} passed`}${suspects === '' ? '' : `, suspect: ${suspects}`}`
  const href = rowLink(shape, { run: column.run, itemId: row.itemId, repetition })
  return (
    <td class={className} style={isOne ? undefined : { background: tint(value) }}>
      <a href={href} tabIndex={-1} title={said} aria-label={said}>
        {isOne || decided === 0 ? <OutcomeSign outcome={outcome} /> : `${passes}/${decided}`}
        <SuspectMark rules={suspects} />
      </a>
    </td>
  )
}

/** The headings of runs: their rate, and buttons that show only the items that a run passes or fails. */
export function RunHeadings(props: {
  readonly columns: readonly GridColumn[]
  readonly query: URLSearchParams
}): JSX.Element {
  const { columns, query } = props
  return (
    <>
      {columns.map((column) => (
        <SortHeading
          column={`run:${column.run}`}
          query={query}
          class="grid-cell"
          key={column.run}
          after={<OnlyButtons column={column} query={query} />}
        >
          <span class="key" title={column.name}>
            {column.name}
          </span>
          <span class="tier one-line">{percent(column.decided === 0 ? null : column.passes / column.decided)}</span>
        </SortHeading>
      ))}
    </>
  )
}

const choices = [
  { parameter: 'passes', other: 'fails', outcome: 'pass', word: 'passes' },
  { parameter: 'fails', other: 'passes', outcome: 'fail', word: 'fails' },
] as const

function OnlyButtons({ column, query }: { readonly column: GridColumn; readonly query: URLSearchParams }): JSX.Element {
  return (
    <span class="only">
      {choices.map(({ parameter, other, outcome, word }) => {
        const chosen = namesIn(query, parameter)
        const label = `Only items that ${column.name} ${word}`
        const toggle = () =>
          changeQuery({
            [parameter]: toggled(chosen, column.run).join(','),
            [other]: namesIn(query, other)
              .filter((id) => id !== column.run)
              .join(','),
          })
        return (
          <button
            type="button"
            key={parameter}
            aria-pressed={chosen.includes(column.run)}
            aria-label={label}
            title={label}
            onClick={toggle}
          >
            <OutcomeSign outcome={outcome} />
          </button>
        )
      })}
    </span>
  )
}
