import { grouped } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import type { OutputCell, OutputRow, OutputsDocument } from '../../src/answers/outputs.js'
import { Loaded, useDocument } from '../documents.js'
import { FilterButtons, SearchField } from '../filters.js'
import { Head, NotFound } from '../navigation.js'
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

/** How many rows are fetched and drawn together. */
const blockRows = 40
/** The height of a row in pixels, as in the style sheet. */
const rowHeight = 108
const heightOf = () => rowHeight

export function OutputsView({ runs, query }: OutputsProps): JSX.Element {
  const loading = useBlock(runs, query, 0)
  return (
    <>
      <Head crumbs={[{ name: 'Runs', href: '#/' }, { name: 'Outputs' }]} />
      <Loaded of={loading} missing={<NotFound text="This store does not have all of these runs." />}>
        {(document) => (
          <>
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
                {grouped(document.total)} {document.total === 1 ? 'item' : 'items'}
              </span>
            </div>
            {document.total === 0 ? (
              <p class="empty">No item matches.</p>
            ) : (
              <Matrix head={document} runs={runs} query={query} />
            )}
          </>
        )}
      </Loaded>
    </>
  )
}

function useBlock(runs: readonly string[], query: URLSearchParams, offset: number) {
  const search = new URLSearchParams([...query].filter(([name]) => name === 'q' || name === 'show'))
  search.set('offset', String(offset))
  search.set('limit', String(blockRows))
  return useDocument<OutputsDocument>(['outputs', ...runs], search)
}

function Matrix({ head, ...props }: OutputsProps & { readonly head: OutputsDocument }): JSX.Element {
  const [box, list] = [useRef<HTMLElement>(null), useRef<HTMLTableSectionElement>(null)]
  const scrolled = useKeptScroll(box, 'outputs')
  const { runs, rows, total } = head
  const hasExpected = rows.some(({ expected }) => expected !== null)
  const columns = runs.length + (hasExpected ? 2 : 1)
  const { from, to } = useVirtualRows({ list, box, count: total, scrolled, heightOf })
  const [first, end] = [Math.floor(from / blockRows), Math.ceil(to / blockRows)]
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
          <SpaceRow height={first * blockRows * rowHeight} columns={columns} />
          {Array.from({ length: end - first }, (_, index) => (first + index) * blockRows).map((offset) => (
            <Block
              key={offset}
              offset={offset}
              rows={Math.min(blockRows, total - offset)}
              hasExpected={hasExpected}
              {...props}
            />
          ))}
          <SpaceRow height={(total - end * blockRows) * rowHeight} columns={columns} />
        </tbody>
      </table>
    </section>
  )
}

interface BlockProps extends OutputsProps {
  readonly offset: number
  readonly rows: number
  readonly hasExpected: boolean
}

function Block({ runs, query, offset, rows, hasExpected }: BlockProps): JSX.Element {
  const loading = useBlock(runs, query, offset)
  if (loading.state !== 'loaded') return <SpaceRow height={rows * rowHeight} columns={1} />
  return (
    <>
      {loading.document.rows.map((row, index) => (
        <OutputsRow
          key={row.itemId}
          row={row}
          rowIndex={offset + index + 2}
          runs={loading.document.runs}
          hasExpected={hasExpected}
        />
      ))}
    </>
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
