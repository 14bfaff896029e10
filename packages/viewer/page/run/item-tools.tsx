import { counted, grouped, outcomes } from '@jurist/experiment/internal/results'
import type { TrialOutcome } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { FacetCount, Facets } from '../../src/answers/trial-filters.js'
import { FilterButtons, SearchField, Select } from '../filters.js'
import { OutcomeSign, outcomeWord } from '../marks.js'
import { changeQuery } from '../router.js'
import { ColumnsMenu, type ItemColumn, type TableShape } from './item-columns.js'

interface ToolsProps {
  readonly query: URLSearchParams
  readonly shape: TableShape
  readonly all: readonly ItemColumn[]
  readonly facets: Facets | undefined
  readonly isRepeated: boolean
  readonly save: () => Promise<void>
}

export function ItemTools({ query, shape, all, facets, isRepeated, save }: ToolsProps): JSX.Element {
  const { isSeveral, byItem, columns, constant } = shape
  const outcome = query.get('outcome')
  const countOf = (one: TrialOutcome) => facets?.outcome?.find(({ value }) => value === one)?.count ?? 0
  return (
    <div class="row tools">
      <SearchField
        label={isSeveral ? 'Search names, tags and reasons' : 'Search names, reasons and output'}
        words={query.get('q') ?? ''}
      />
      {facets === undefined ? null : (
        <>
          <FilterButtons
            legend="Only trials that"
            parameter="outcome"
            chosen={outcome}
            values={outcomes.filter((one) => one === outcome || countOf(one) > 0)}
          >
            {(one) => (
              <span
                class={`mark ${one}`}
                title={`${counted(countOf(one), byItem ? 'item' : 'trial')}: ${outcomeWord(one)}`}
              >
                <OutcomeSign outcome={one} />
                <span class="word">{outcomeWord(one)}</span> {grouped(countOf(one))}
              </span>
            )}
          </FilterButtons>
          {isRepeated ? (
            <FilterButtons legend="Only items that" parameter="flaky" chosen={query.get('flaky')} values={['only']}>
              {() => 'flaky'}
            </FilterButtons>
          ) : null}
          <LinkedFilters query={query} />
          <Facet name="bucket" all="All buckets" counts={facets.bucket} query={query} />
          <Facet name="tag" all="All tags" counts={facets.tag} query={query} />
          <Facet
            name="judge"
            all="All judges"
            counts={facets.judge?.filter(({ value }) => !/^(?:passed|abstained|alone):/.test(value))}
            query={query}
            textOf={judgeText}
          />
          <Facet name="label" all="All labels" counts={facets.label} query={query} textOf={wordOfLabel} />
          <Facet name="finding" all="All findings" counts={facets.finding} query={query} />
          <Order query={query} byItem={byItem} />
          <ColumnsMenu all={all} chosen={columns} constant={constant} save={save}>
            {isRepeated && !isSeveral ? (
              <label>
                <input
                  type="checkbox"
                  checked={!byItem}
                  onChange={() => changeQuery({ by: byItem ? 'trial' : undefined })}
                />
                A row for each trial
              </label>
            ) : null}
          </ColumnsMenu>
        </>
      )}
    </div>
  )
}

/** The filters of links from other views: trials that failed alike, or that paid for a part of the cost. A click removes one. */
function LinkedFilters({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const [alike, spent] = [query.get('alike'), query.get('spent')]
  const shown = [
    ...(alike === null ? [] : [{ name: 'alike', text: `failed like ${alike}` }]),
    ...(spent === null ? [] : [{ name: 'spent', text: `paid for ${spent.replace(':', ' ')}` }]),
  ]
  return (
    <>
      {shown.map(({ name, text }) => (
        <button type="button" key={name} aria-pressed={true} onClick={() => changeQuery({ [name]: undefined })}>
          {text} ×
        </button>
      ))}
    </>
  )
}

/** A filter with many values, each with its count. It is hidden unless there is a choice. */
function Facet(props: {
  readonly name: string
  readonly all: string
  readonly counts: readonly FacetCount[] | undefined
  readonly query: URLSearchParams
  readonly textOf?: (value: string) => string
}): JSX.Element | null {
  const { name, all, counts = [], query, textOf = (value) => value } = props
  const chosen = query.get(name) ?? ''
  const known = chosen === '' || counts.some(({ value }) => value === chosen) ? [] : [{ value: chosen, count: 0 }]
  const values = [...counts, ...known]
  if (values.length === 0) return null
  return (
    <Select
      label={all}
      isLabelHidden
      value={chosen}
      options={[
        { value: '', text: all },
        ...values.map(({ value, count }) => ({ value, text: `${textOf(value)} (${grouped(count)})` })),
      ]}
      onChange={(value) => changeQuery({ [name]: value })}
    />
  )
}

/** Returns `failed:rules/build` as `rules/build failed`. */
function judgeText(value: string): string {
  const at = value.indexOf(':')
  const [finding, path] = [value.slice(0, at), value.slice(at + 1)]
  return finding === 'alone' ? `only ${path} failed` : `${path} ${finding}`
}

function wordOfLabel(value: string): string {
  return value === 'differs' ? 'differs from the label' : `label ${value}`
}

const orders: { readonly [value: string]: string } = {
  '': 'Order of the run',
  'flakiness desc': 'Flakiest first',
  'spread desc': 'Widest spread first',
  'cost desc': 'Highest cost first',
  'time desc': 'Longest first',
  'item asc': 'By name',
}

/** The order of the rows, apart from the columns that the headings sort by. */
function Order({ query, byItem }: { readonly query: URLSearchParams; readonly byItem: boolean }): JSX.Element {
  const sort = query.get('sort') ?? ''
  const value = sort === '' ? '' : `${sort} ${query.get('order') ?? 'asc'}`
  const fitting = Object.entries(orders).filter(([order]) => byItem || !/^(flakiness|spread)/.test(order))
  const other = Object.hasOwn(orders, value) ? [] : [[value, 'By a column'] as const]
  return (
    <Select
      label="Order"
      isLabelHidden
      value={value}
      options={[...fitting, ...other].map(([order, name]) => ({ value: order, text: name }))}
      onChange={(order) => {
        const [column = '', direction] = order.split(' ')
        changeQuery({ sort: column, order: direction === 'desc' ? 'desc' : undefined })
      }}
    />
  )
}
