import {
  isToolStep,
  type JournalStep,
  stepSummary,
  stepWord,
  withoutWorkspace,
} from '@jurist/experiment/internal/journal'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { PairDocument, PairSide } from '../../src/answers/pair.js'
import { type Loading, Waiting } from '../documents.js'
import { FileLines } from '../item/workspace-files.js'
import { runName } from '../text.js'
import { LoadedJournal } from '../transcript/journal-view.js'
import { type FetchedJournal, useJournal } from '../transcript/use-journal.js'
import { useIsNarrow } from './narrow.js'

type Journal = Loading<FetchedJournal | { readonly reason: string }>

/** The steps of two agents side by side, and both journals. */
export function PairJournals(props: { readonly document: PairDocument; readonly query: URLSearchParams }): JSX.Element {
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
