import { grouped, type ScoreMean } from '@jurist/experiment/internal/results'
import { dollars, duration, score } from '@jurist/experiment/result'
import type { ComponentChildren, JSX } from 'preact'
import type { GridColumn } from '../../src/answers/item-rows.js'
import type { ItemRow } from '../../src/answers/items.js'
import { shade } from '../charts.js'
import { SaveButton } from '../copy-button.js'
import { Menu } from '../filters.js'
import { changeQuery, linkTo, type TrialRoute, trialPath } from '../router.js'
import { plainText } from '../text.js'

/** A column of the items table that the reader can choose. */
export interface ItemColumn {
  /** The name in the parameter `columns` of the address. */
  readonly id: string
  readonly name: string
  readonly heading?: ComponentChildren
  /** The name in the parameter `sort`. Default: the column cannot be sorted. */
  readonly sort?: string
  /** The order after the first click. */
  readonly first?: 'asc' | 'desc'
  /** The smallest window width at which the column is visible. Default: always visible. */
  readonly from?: 'wide-only' | 'middle-only'
  /** In rem. Default: the remaining space. */
  readonly width?: number
  readonly isNumber?: boolean
  readonly cell: (row: ItemRow) => string
  /** The cell in a file of CSV. Default: as it is shown. */
  readonly value?: (row: ItemRow) => number | string | null
  readonly background?: (row: ItemRow) => string
}

export interface TableShape {
  /** Whether a row is an item rather than a single trial. */
  readonly byItem: boolean
  /** Whether the columns of the grid are runs rather than attempts. */
  readonly isSeveral: boolean
  /** Whether the texts of an item say more than its name. */
  readonly areRows: boolean
  /** The width in rem of the column with the names of items. */
  readonly name: number
  /** The names of the columns in which all cells are equal. */
  readonly constant: readonly string[]
  /** The two runs whose trials a row opens side by side; `undefined`: it opens one trial. */
  readonly pair: readonly string[] | undefined
  readonly grid: readonly GridColumn[]
  readonly columns: readonly ItemColumn[]
}

/** Returns the link of a row, or of one of its cells. */
export function rowLink({ pair }: TableShape, trial: TrialRoute): string {
  const { itemId, run } = trial
  return linkTo(pair?.includes(run) ? ['compare', ...pair, 'items', itemId] : trialPath(trial))
}

const text = (id: 'input' | 'output' | 'expected', name: string): ItemColumn => ({
  id,
  name,
  from: 'wide-only',
  cell: ({ texts }) => plainText(texts?.[id] ?? '').replace(/\s+/g, ' '),
  value: ({ texts }) => texts?.[id] ?? '',
})

const number = (id: string, name: string, cell: ItemColumn['cell'], more: Partial<ItemColumn> = {}): ItemColumn => ({
  ...{ id, name, cell, sort: id, first: 'desc', width: 5.5, isNumber: true, from: 'middle-only' },
  ...more,
})

const common: readonly ItemColumn[] = [
  text('input', 'Input'),
  text('output', 'Output'),
  text('expected', 'Expected'),
  { id: 'reason', name: 'Reason', from: 'wide-only', cell: ({ reason }) => plainText(reason) },
  {
    id: 'label',
    name: 'Label',
    from: 'middle-only',
    width: 5.5,
    cell: ({ label }) => label,
    background: ({ differs }) => (differs ? shade('fail', 1) : ''),
  },
  { id: 'suspects', name: 'Suspect', from: 'middle-only', width: 8, cell: ({ suspects }) => suspects },
  { id: 'bucket', name: 'Bucket', sort: 'bucket', from: 'wide-only', width: 7, cell: ({ bucket }) => bucket },
  { id: 'tags', name: 'Tags', from: 'wide-only', width: 9, cell: ({ tags }) => tags.join(', ') },
  number('cost', 'Cost', ({ costUsd }) => dollars(costUsd), { value: ({ costUsd }) => costUsd }),
  number('agentCost', 'Cost of the agent', ({ agentUsd }) => dollars(agentUsd), {
    sort: undefined,
    value: ({ agentUsd }) => agentUsd,
  }),
  number('judgeCost', 'Cost of judges', ({ judgesUsd }) => dollars(judgesUsd), {
    sort: undefined,
    value: ({ judgesUsd }) => judgesUsd,
  }),
  number('tokens', 'Tokens', ({ tokens }) => grouped(tokens ?? undefined), {
    width: 6,
    value: ({ tokens }) => tokens,
  }),
  number('time', 'Time', ({ durationMs }) => duration(durationMs), { value: ({ durationMs }) => durationMs }),
]

const shownAtFirst: readonly string[] = ['reason', 'label', 'suspects', 'cost', 'time']
/** Where items are rows, people look for what was asked and answered. */
const shownOfRows: readonly string[] = ['input', 'output']
/** Scores beyond this number are hidden until the reader chooses them in the menu. */
const scoresAtFirst = 8

export function itemColumns(scoreKeys: readonly string[], means: readonly ScoreMean[]): readonly ItemColumn[] {
  const meanOf = (key: string) => means.find(({ name }) => name === key)
  return [...common, ...scoreKeys.map((key, at) => scoreColumn(key, at, meanOf(key)))]
}

function scoreColumn(key: string, at: number, mean: ScoreMean | undefined): ItemColumn {
  return {
    id: `score:${key}`,
    name: key,
    heading: <ScoreKey path={key} mean={mean} />,
    sort: `score:${key}`,
    from: 'wide-only',
    width: 5.5,
    isNumber: true,
    cell: ({ scores, said }) => {
      const [value, status] = [scores[at] ?? null, said[at] ?? null]
      return value === null && status !== null ? status : score(value)
    },
    value: ({ scores, said }) => scores[at] ?? said[at] ?? null,
    background: ({ scores }) => tint(scores[at] ?? null),
  }
}

/** Returns the background of a cell with a score or a rate from 0 to 1: the lower, the stronger. A full one has none. */
export function tint(value: number | null): string {
  return value === null ? '' : shade('fail', Math.min(1, Math.max(0, 1 - value)))
}

/** The path of a judge, with its tier or jury in small letters above its name, and the mean of its scores below. */
function ScoreKey({ path, mean }: { readonly path: string; readonly mean: ScoreMean | undefined }): JSX.Element {
  const at = path.lastIndexOf('/')
  return (
    <span class="key" title={mean === undefined ? path : `${path}: mean ${mean.mean} (${mean.basis})`}>
      {at < 0 ? null : <span class="tier one-line">{path.slice(0, at + 1)}</span>}
      {path.slice(at + 1)}
      {mean === undefined ? null : <span class="tier one-line">mean {mean.mean}</span>}
    </span>
  )
}

/** Returns the chosen columns in the order of the table. The address keeps the choice. */
export function chosenColumns(
  all: readonly ItemColumn[],
  query: URLSearchParams,
  of: { readonly isGrid: boolean; readonly areRows: boolean; readonly constant: readonly string[] },
): readonly ItemColumn[] {
  const chosen = query.get('columns')?.split(',')
  if (chosen !== undefined) return all.filter(({ id }) => chosen.includes(id))
  const differing = all.filter(({ id }) => !of.constant.includes(id))
  const [texts, scores] = [of.areRows ? shownOfRows : [], scoreIds(differing).slice(0, scoresAtFirst)]
  const atFirst = of.isGrid ? [...texts.slice(0, 1), 'cost'] : [...texts, ...shownAtFirst, ...scores]
  return differing.filter(({ id }) => atFirst.includes(id))
}

/** Columns of short texts take the width of their longest one, so that the reason takes the rest. */
export function fitted(columns: readonly ItemColumn[], rows: readonly ItemRow[]): readonly ItemColumn[] {
  return columns.map((column) => {
    if (column.width !== undefined || column.id === 'reason') return column
    const width = Math.max(4, widthOf(rows, column.cell))
    return width > 11 ? column : { ...column, width }
  })
}

/** The width in rem of the longest text. */
export function widthOf(rows: readonly ItemRow[], textOf: (row: ItemRow) => string): number {
  return 1.5 + 0.5 * rows.reduce((most, row) => Math.max(most, textOf(row).length), 0)
}

function scoreIds(all: readonly ItemColumn[]): readonly string[] {
  return all.map(({ id }) => id).filter((id) => id.startsWith('score:'))
}

/** Whether a column shows a value that only whole trials have. */
export function needsTexts(query: URLSearchParams): boolean {
  const chosen = query.get('columns')?.split(',') ?? []
  return ['input', 'output', 'expected'].some((id) => chosen.includes(id))
}

/** The menu for the columns, and for what a row is. */
export function ColumnsMenu(props: {
  readonly all: readonly ItemColumn[]
  readonly chosen: readonly ItemColumn[]
  readonly constant: readonly string[]
  readonly save: () => Promise<void>
  readonly children: ComponentChildren
}): JSX.Element {
  const { all, chosen, constant, save, children } = props
  const toggle = (column: ItemColumn) => {
    const next = all.filter((one) => (one === column) !== chosen.includes(one))
    changeQuery({ columns: next.length === 0 ? 'none' : next.map(({ id }) => id).join(',') })
  }
  return (
    <Menu label="Columns, CSV">
      {children}
      {all.map((column) => (
        <label key={column.id}>
          <input type="checkbox" checked={chosen.includes(column)} onChange={() => toggle(column)} />
          {column.name}
          {constant.includes(column.id) ? <span class="quiet small">all equal</span> : null}
        </label>
      ))}
      <button type="button" onClick={() => changeQuery({ columns: undefined })}>
        Default columns
      </button>
      <SaveButton label="Save these rows as CSV" saved="Saved." save={save} />
    </Menu>
  )
}
