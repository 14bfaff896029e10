import { counted } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { OutputCell, OutputRow, OutputsDocument } from '../../src/answers/outputs.js'
import { Waiting } from '../documents.js'
import { FilterButtons, SearchField } from '../filters.js'
import { Head, NotFound } from '../navigation.js'
import { type PagedRows, usePagedRows } from '../paged-rows.js'
import { useKeptScroll } from '../places.js'
import { linkTo, trialPath } from '../router.js'
import { SpaceRow } from '../table.js'
import { dateAndTime, plainText, runName } from '../text.js'
import { useVirtualRows } from '../virtual-rows.js'
import { Attempts } from './pair-links.js'

interface OutputsProps {
  readonly runs: readonly string[]
  readonly query: URLSearchParams
}

/** The height of a row in pixels, as in the style sheet. */
const rowHeight = 108
const heightOf = () => rowHeight

export function OutputsView({ runs, query }: OutputsProps): JSX.Element {
  const search = new URLSearchParams([...query].filter(([name]) => name === 'q' || name === 'show'))
  const pages = usePagedRows<OutputsDocument>(['outputs', ...runs], search.toString(), '')
  const { head, problem } = pages
  if (head === undefined) return problem === undefined ? <Waiting /> : <NotFound text={problem} />
  return (
    <>
      <Head crumbs={[{ name: 'Runs', href: '#/' }, { name: 'Outputs' }]} />
      <div class="row tools">
        <SearchField label="Search items" words={query.get('q') ?? ''} />
        <FilterButtons
          legend="Only items that"
          parameter="show"
          chosen={query.get('show')}
          values={['differ' as const]}
        >
          {() => 'outcomes differ'}
        </FilterButtons>
        <span class="quiet small" role="status">
          {counted(head.total, 'item')}
        </span>
      </div>
      {head.total === 0 ? <p class="empty">No item matches.</p> : <Matrix pages={pages} head={head} />}
    </>
  )
}

type Pages = PagedRows<OutputsDocument>

function Matrix(props: { readonly pages: Pages; readonly head: NonNullable<Pages['head']> }): JSX.Element {
  const { pages, head } = props
  const [box, list] = [useRef<HTMLElement>(null), useRef<HTMLTableSectionElement>(null)]
  const scrolled = useKeptScroll(box, 'outputs')
  const { runs, total } = head
  const hasExpected = Array.from({ length: 40 }, (_, index) => pages.row(index)?.expected ?? null).some(
    (text) => text !== null,
  )
  const columns = runs.length + (hasExpected ? 2 : 1)
  const { from, to, beforePx, afterPx } = useVirtualRows({ list, box, count: total, scrolled, heightOf })
  if (to > from) pages.show(from, to - 1)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the box is scrolled by keys
    <section class="scroller card outputs" aria-label="Outputs" ref={box} tabIndex={0}>
      <table style={{ minWidth: `${8 + 12 * columns}rem` }} aria-rowcount={total + 1}>
        <thead>
          <tr>
            <th scope="col">Item</th>
            <th scope="col" class="input">
              Input
            </th>
            {hasExpected ? <th scope="col">Expected</th> : null}
            {runs.map((run) => (
              <th scope="col" key={run.id} title={dateAndTime(run.startedAt)}>
                <a href={linkTo(['runs', run.id])}>{run.variant ?? runName(run)}</a>
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={list}>
          <SpaceRow height={beforePx} columns={columns} />
          {Array.from({ length: to - from }, (_, at) => from + at).map((index) => {
            const row = pages.row(index)
            return row === undefined ? (
              <SpaceRow key={`waiting ${index}`} height={rowHeight} columns={columns} />
            ) : (
              <OutputsRow key={row.itemId} row={row} rowIndex={index + 2} runs={runs} hasExpected={hasExpected} />
            )
          })}
          <SpaceRow height={afterPx} columns={columns} />
        </tbody>
      </table>
    </section>
  )
}

interface RowProps {
  readonly row: OutputRow
  readonly rowIndex: number
  readonly runs: OutputsDocument['runs']
  readonly hasExpected: boolean
}

/** An item of the matrix: its task, the expected output, and the beginning of each run's output. */
function OutputsRow({ row, rowIndex, runs, hasExpected }: RowProps): JSX.Element {
  const { itemId, task, expected, cells } = row
  const [first, second] = runs
  return (
    <tr aria-rowindex={rowIndex}>
      <th scope="row" class="name-cell" title={itemId}>
        {first === undefined ? itemId : <a href={pairOf(itemId, first.id, (second ?? first).id)}>{itemId}</a>}
      </th>
      <td class="input">
        <div class="cut">{plainText(task)}</div>
      </td>
      {hasExpected ? (
        <td>
          <div class="cut">{plainText(expected ?? '')}</div>
        </td>
      ) : null}
      {cells.map((cell, at) => {
        const run = runs[at]
        if (run === undefined || first === undefined) return null
        if (cell === null)
          return (
            <td class="quiet" key={run.id}>
              absent
            </td>
          )
        const href = at === 0 ? trialOf(run.id, itemId, cell) : pairOf(itemId, first.id, run.id, cell)
        return (
          <td key={run.id}>
            <Attempts
              label={`Repetitions of ${runName(run)} at ${itemId}`}
              attempts={cell.attempts}
              hrefOf={(repetition) => trialOf(run.id, itemId, { repetition })}
            />
            <a class="cut" href={href} title="Open the whole output">
              {plainText(cell.output) || <span class="quiet">no output</span>}
            </a>
          </td>
        )
      })}
    </tr>
  )
}

function trialOf(run: string, itemId: string, { repetition }: Pick<OutputCell, 'repetition'>): string {
  return linkTo(trialPath({ run, itemId, repetition }))
}

/** Links to the trials of two runs, side by side. Without an attempt, the view chooses trials that show the change. */
function pairOf(itemId: string, left: string, right: string, cell?: OutputCell): string {
  return linkTo(['compare', left, right, 'items', itemId], { right: cell?.repetition.toString() })
}
