import { percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { GridColumn, ItemCell } from '../../src/answers/item-rows.js'
import type { ItemRow } from '../../src/answers/items.js'
import { OutcomeMark, OutcomeSign, outcomeWord, QuarantineMark, SuspectMark } from '../marks.js'
import { TrialLink } from '../navigation.js'
import { changeQuery, namesIn, toggled } from '../router.js'
import { Heading, SortHeading } from '../table.js'
import { withTried } from '../text.js'
import { type ItemColumn, rowLink, type TableShape, tint } from './item-columns.js'

const passedWidth = { item: 5.25, trial: 7.5 }
/** The least width in rem of the column that takes the remaining space. */
const leastWidth = 11

/** Returns the least widths of the table in rem: of the whole table, and of its part in a narrow window. */
export function tableWidths({ byItem, isSeveral, name, grid, columns }: TableShape): {
  readonly all: number
  readonly narrow: number
} {
  const cells = grid.length * cellWidth(isSeveral)
  const passed = byItem ? passedWidth.item : passedWidth.trial
  const rest = columns.reduce((sum, { width = leastWidth }) => sum + width, 0)
  return {
    all: name + cells + passed + rest,
    narrow: 9.5 + cells + (isSeveral ? 0 : passed),
  }
}

export function ItemsHeading(props: { readonly shape: TableShape; readonly query: URLSearchParams }): JSX.Element {
  const { shape, query } = props
  const { byItem, isSeveral, grid, columns } = shape
  return (
    <>
      <colgroup>
        <col class="name-col" />
        {grid.map(({ name, run }) => (
          <col key={`${run} ${name}`} style={{ width: `${cellWidth(isSeveral)}rem` }} />
        ))}
        <col
          style={{ width: `${byItem ? passedWidth.item : passedWidth.trial}rem` }}
          class={isSeveral ? 'middle-only' : undefined}
        />
        {columns.map(({ id, from, width }) => (
          <col key={id} class={from} style={width === undefined ? undefined : { width: `${width}rem` }} />
        ))}
      </colgroup>
      <thead>
        <tr>
          <SortHeading column="item" query={query}>
            Item
          </SortHeading>
          {isSeveral ? (
            <RunHeadings columns={grid} query={query} />
          ) : (
            grid.map(({ name, passes, decided, tried }) => {
              const title = `Repetition ${withTried(name, tried)}: ${passes} of ${decided} passed`
              return (
                <th scope="col" class="grid-cell" key={name} title={title}>
                  {name}
                </th>
              )
            })
          )}
          {byItem ? (
            <SortHeading column="passed" query={query} class={isSeveral ? 'number middle-only' : 'number'}>
              Passed
            </SortHeading>
          ) : (
            <SortHeading column="outcome" query={query}>
              Outcome
            </SortHeading>
          )}
          {columns.map(({ id, name, heading, cell, sort, first, ...column }) => (
            <Heading
              key={id}
              column={{ title: heading ?? name, cell, sort, first, class: classOf(column) }}
              query={query}
            />
          ))}
        </tr>
      </thead>
    </>
  )
}

function classOf({ isNumber = false, from }: Pick<ItemColumn, 'isNumber' | 'from'>): string {
  return `${isNumber ? 'number' : 'quiet'} ${from ?? ''}`
}

interface RowProps {
  readonly index: number
  readonly row: ItemRow | undefined
  readonly shape: TableShape
  /** The cell that the arrow keys have moved to; -1 for the whole row; `undefined` if the cursor is in another row. */
  readonly cursor: number | undefined
  /** Called when a link of the row gets the focus. */
  readonly onOpen: () => void
}

export function ItemRowLine({ index, row, shape, cursor, onOpen }: RowProps): JSX.Element {
  if (row === undefined)
    return (
      <tr aria-rowindex={index + 2}>
        <td colSpan={2 + shape.grid.length + shape.columns.length} class="quiet">
          …
        </td>
      </tr>
    )
  const isCurrent = cursor !== undefined
  return (
    <tr
      id={`row-${index}`}
      onFocusIn={onOpen}
      aria-rowindex={index + 2}
      class={isCurrent ? 'at' : ''}
      aria-selected={isCurrent}
    >
      <th scope="row" class={shape.areRows ? 'name-cell small' : 'name-cell'} title={row.itemId}>
        <TrialLink
          trial={row}
          href={rowLink(shape, { ...row, run: shape.pair?.[0] ?? row.run })}
          hasNumber={!shape.byItem}
        />
      </th>
      {shape.grid.map((column, at) => (
        <GridCell
          key={`${column.run} ${column.name}`}
          cell={row.cells[at] ?? null}
          row={row}
          column={column}
          isCurrent={cursor === at}
          shape={shape}
        />
      ))}
      <Passed row={row} shape={shape} />
      {shape.columns.map((column) => (
        <ColumnCell column={column} row={row} key={column.id} />
      ))}
    </tr>
  )
}

function Passed(props: { readonly row: ItemRow; readonly shape: TableShape }): JSX.Element {
  const { byItem, isSeveral } = props.shape
  const { row } = props
  const { outcome, passes, decided, suspects } = row
  if (!byItem)
    return (
      <td>
        <OutcomeMark outcome={outcome} /> <SuspectMark rules={suspects} />
        <QuarantineMark reason={row.quarantine} />
      </td>
    )
  return (
    <td
      class={isSeveral ? 'number middle-only' : 'number'}
      style={{ background: tint(decided === 0 ? null : passes / decided) }}
    >
      {passes} of {decided}
      <QuarantineMark reason={row.quarantine} />
    </td>
  )
}

function ColumnCell({ column, row }: { readonly column: ItemColumn; readonly row: ItemRow }): JSX.Element {
  const content = column.cell(row)
  const background = column.background?.(row)
  return (
    <td
      class={classOf(column)}
      title={typeof content === 'string' && column.isNumber !== true ? content : undefined}
      style={background === undefined ? undefined : { background }}
    >
      {content}
    </td>
  )
}

/** Returns the width of a column of the grid in rem: an attempt is a sign, a run has a name. */
function cellWidth(isSeveral: boolean): number {
  return isSeveral ? 6.5 : 2.5
}

/** A cell of the grid: the sign of an attempt, or how many attempts of a run passed. It opens a trial. */
function GridCell(props: {
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
function RunHeadings(props: { readonly columns: readonly GridColumn[]; readonly query: URLSearchParams }): JSX.Element {
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
