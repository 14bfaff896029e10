import {
  isToolStep,
  type JournalStep,
  stepSummary,
  stepWord,
  withoutWorkspace,
} from '@jurist/experiment/internal/journal'
import { changeWord, grouped, takenMs, trialText } from '@jurist/experiment/internal/results'
import { dollars, duration, outcomeOf } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { PairDocument, PairSide } from '../../src/answers/comparison.js'
import { CopyButton } from '../copy-button.js'
import { Loaded, type Loading, useDocument, Waiting } from '../documents.js'
import { FileLines } from '../item/workspace-files.js'
import { OutcomeMark } from '../marks.js'
import { Head, Neighbours, NotFound, Tabs, type Views } from '../navigation.js'
import { linkTo, trialPath } from '../router.js'
import { runName, showCommand } from '../text.js'
import { type FetchedJournal, LoadedJournal, useJournal } from '../transcript/journal-view.js'
import { PairChanges } from './pair-changes.js'
import { Attempts, type ComparedPair, pairLink, pairList, useIsNarrow } from './pair-links.js'
import { PairVerdict } from './pair-verdict.js'

interface PairProps {
  readonly baseline: string
  readonly candidate: string
  readonly itemId: string
  readonly part: string | undefined
  readonly query: URLSearchParams
}

export function PairView(given: PairProps): JSX.Element {
  const { baseline, candidate, itemId, query } = given
  const props = { ...given, list: pairList(query, 'items') }
  const { change, items } = props.list
  const wanted = Object.entries({ ...chosenOf(given), change, q: items })
  const search = new URLSearchParams(wanted.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
  const loading = useDocument<PairDocument>(['compare', baseline, candidate, 'items', itemId], search)
  return (
    <Loaded of={loading} missing={<NotFound text={`This store does not have both runs, or none has ${itemId}.`} />}>
      {(document) => (
        <>
          <PairHead {...props} document={document} />
          <Tabs
            label="Views of these trials"
            views={parts}
            current={props.part}
            hrefOf={(one) => pairLink(props, itemId, one, chosenOf(props))}
          />
          <PairPart {...props} document={document} />
        </>
      )}
    </Loaded>
  )
}

const parts: Views = [
  [undefined, 'Output and verdict'],
  ['changes', 'Changes'],
  ['journal', 'Journals'],
]

/** Finds the attempts that the address names. */
function chosenOf({ query }: PairProps) {
  return { left: query.get('left') ?? undefined, right: query.get('right') ?? undefined }
}

type Shown = PairProps & ComparedPair & { readonly document: PairDocument }

function PairHead(props: Shown): JSX.Element {
  const { baseline, candidate, document } = props
  const { itemId, change, left, right, previous, next, index, total } = document
  const list = linkTo(['compare', baseline, candidate])
  const name = baseline === candidate ? 'Repetitions' : 'Comparison'
  return (
    <>
      <Head crumbs={[{ name: 'Runs', href: '#/' }, { name, href: list }, { name: itemId }]}>
        {baseline === candidate ? null : <span class="tag">{changeWord(change)}</span>}
        <Neighbours
          previous={previous}
          next={next}
          hrefOf={(one) => pairLink(props, one, props.part)}
          nameOf={(one) => <span class="middle-only">{one}</span>}
        >
          <span class="quiet small">
            {index === null ? `not among ${grouped(total)} listed` : `${grouped(index + 1)} of ${grouped(total)}`}
          </span>
        </Neighbours>
      </Head>
      <div class="pair sides">
        <SideHead {...props} side={left} at="left" />
        <SideHead {...props} side={right} at="right" />
      </div>
    </>
  )
}

function SideHead(props: Shown & { readonly side: PairSide; readonly at: 'left' | 'right' }): JSX.Element {
  const { side, at, document, part } = props
  const { run, attempts, item } = side
  const across = at === 'left' ? 'right' : 'left'
  const other = document[across].item?.repetition
  const chosen = (repetition: number) => ({ [at]: String(repetition), [across]: other?.toString() })
  return (
    <section class="card side" aria-label={at === 'left' ? 'Left' : 'Right'}>
      <div class="row side-head">
        <a href={linkTo(['runs', run.id])}>{runName(run)}</a>
        <Attempts
          label={`Repetitions of ${runName(run)}`}
          attempts={attempts}
          shown={item?.repetition}
          hrefOf={(repetition) => pairLink(props, document.itemId, part, chosen(repetition))}
        />
      </div>
      {item === null ? (
        <p class="quiet small">This run does not have the item.</p>
      ) : (
        <div class="row facts-line quiet small">
          <OutcomeMark outcome={outcomeOf(item)} />
          <a href={linkTo(trialPath({ run: run.id, itemId: item.itemId, repetition: item.repetition }))}>
            {trialText(item)}
          </a>
          {item.costUsd === null ? null : <span>{dollars(item.costUsd)}</span>}
          <span>{duration(takenMs(item))}</span>
          <CopyButton
            text={showCommand(run.id, item)}
            label={`Copy the command that shows ${trialText(item)} of ${runName(run)}`}
            isMain={at === 'right'}
          >
            Copy command
          </CopyButton>
        </div>
      )}
    </section>
  )
}

function PairPart({ document, part, query }: Shown): JSX.Element {
  switch (part) {
    case undefined:
      return <PairVerdict document={document} query={query} />
    case 'changes':
      return <PairChanges document={document} query={query} />
    case 'journal':
      // What is fetched of a journal belongs to its trial.
      return <PairJournals key={trialsOf(document)} document={document} query={query} />
    default:
      return <p class="empty">Two trials have no such view.</p>
  }
}

function trialsOf({ itemId, left, right }: PairDocument): string {
  return JSON.stringify([itemId, ...[left, right].map(({ run, item }) => [run.id, item?.repetition])])
}

type Journal = Loading<FetchedJournal | { readonly reason: string }>

/** The steps of two agents side by side, and both journals. */
function PairJournals(props: { readonly document: PairDocument; readonly query: URLSearchParams }): JSX.Element {
  const { document, query } = props
  const { itemId, left, right } = document
  const useOf = ({ run, item }: PairSide) => useJournal({ run: run.id, itemId, repetition: item?.repetition ?? 0 })
  const journals = [useOf(left), useOf(right)] as const
  // Nothing may move once it is painted, and the lists of steps, which need whole journals, are above them.
  if (journals.some(isAwaited)) return <Waiting />
  return (
    <>
      <StepLists journals={journals} />
      <div class="pair">
        {[left, right].map(({ run, item }, index) => (
          <div key={`${index}`}>
            <p class="narrow-only quiet">{runName(run)}</p>
            {item === null ? null : <LoadedJournal loading={journals[index] as Journal} query={query} />}
          </div>
        ))}
      </div>
    </>
  )
}

/** The calls of tools on both sides as lines, in which additions and removals are marked. */
function StepLists({ journals }: { readonly journals: readonly [Journal, Journal] }): JSX.Element | null {
  const isNarrow = useIsNarrow()
  const [left, right] = journals.map(stepsOf)
  const texts = useMemo(() => [left, right].map((steps) => stepLines(steps ?? [])), [left, right])
  const [before = '', after = ''] = texts
  if (left === undefined || right === undefined || before + after === '') return null
  return (
    <section class="part" aria-label="Steps side by side">
      <h2>Steps side by side</h2>
      {before === after ? (
        <p class="quiet small">Both agents called the same tools with the same arguments, in the same order.</p>
      ) : (
        <FileLines
          document={{ path: 'the steps', before: { kind: 'text', text: before }, after: { kind: 'text', text: after } }}
          layout={isNarrow ? 'unified' : 'sides'}
        />
      )}
    </section>
  )
}

/** Steps of longer journals are not listed side by side. */
const mostRecords = 5_000

function isAwaited(loading: Journal): boolean {
  if (loading.state !== 'loaded') return loading.state === 'loading'
  const { document } = loading
  return (
    'records' in document &&
    !document.isRunning &&
    document.records.length < document.total &&
    document.total <= mostRecords
  )
}

function stepsOf(loading: Journal): readonly JournalStep[] | undefined {
  if (loading.state !== 'loaded' || !('steps' in loading.document)) return undefined
  const { steps, total } = loading.document
  return total <= mostRecords ? steps : undefined
}

function stepLines(steps: readonly JournalStep[]): string {
  return steps
    .filter(({ content }) => isToolStep(content))
    .map(({ content, isFailed }) => {
      const said = withoutWorkspace(`${stepWord(content)} ${stepSummary(content)}`).trim()
      return `${said}${isFailed ? ' (failed)' : ''}\n`
    })
    .join('')
}
