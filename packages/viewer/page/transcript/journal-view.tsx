import { figuresText, type JournalStep, journalFigures, stepReader } from '@jurist/experiment/internal/journal'
import { counted } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { JournalDocument } from '../../src/files/journals.js'
import { Loaded, type Loading, useDocument } from '../documents.js'
import { isRaw } from '../item/reading.js'
import { useKeys } from '../keys.js'
import { type TrialRoute, trialPath } from '../router.js'
import { useVirtualRows } from '../virtual-rows.js'
import { failureFrom, guessOf, useChosenStep, useOpened, useSamePlace } from './chosen-step.js'
import { filterOf, JournalTools, matchingSteps } from './journal-tools.js'
import { StepRow } from './step-row.js'
import { Waterfall } from './waterfall.js'

interface JournalProps {
  readonly journal: FetchedJournal
  readonly query: URLSearchParams
  /** Whether `n` and `p` go from failure to failure. Default `true`. */
  readonly hasKeys?: boolean | undefined
}

/** The steps of a journal with their times, to read, search and filter. Only visible rows are drawn. */
export function JournalView({ journal, query, hasKeys = true }: JournalProps): JSX.Element {
  const { records, steps, isRunning } = journal
  const { words, tool, isFailed } = filterOf(query)
  const shown = useMemo(() => matchingSteps(steps, { words, tool, isFailed }), [steps, words, tool, isFailed])
  const [list, cover] = [useRef<HTMLOListElement>(null), useRef<HTMLDivElement>(null)]
  const { keyOf, isOpen, isWhole, ...actions } = useOpened(shown, isRaw(query))
  const heightOf = useCallback((row: number) => guessOf(shown[row]), [shown])
  const rows = useVirtualRows({ list, cover, count: shown.length, heightOf, keyOf })
  const { current, choose } = useChosenStep(shown, query, list, rows.show)
  useSamePlace(isRaw(query), current >= 0 ? current : rows.first, rows.show)
  const goToFailure = (direction: 1 | -1) => {
    const next = failureFrom(shown, current >= 0 ? current : rows.first - direction, direction)
    if (next >= 0) choose(next)
  }
  const failureKeys = {
    n: { does: 'Next failure', act: () => goToFailure(1) },
    p: { does: 'Previous failure', act: () => goToFailure(-1) },
  }
  // When two journals are side by side, the keys belong to the one that has failures.
  useKeys(hasKeys && shown.some((step) => step.isFailed) ? failureKeys : {})
  return (
    <div class="journal">
      <Figures journal={journal} shown={shown} />
      <div class="journal-cover" ref={cover}>
        <JournalTools steps={steps} query={query} hasKeys={hasKeys} onNextFailure={() => goToFailure(1)} />
        <Waterfall steps={shown} current={current} visible={rows} onChoose={choose} />
      </div>
      <ol class="journal-steps" ref={list}>
        <Space height={rows.beforePx} />
        {shown.slice(rows.from, rows.to).map((step, at) => (
          <StepRow
            key={`${step.index} ${step.content.kind}`}
            rowKey={keyOf(rows.from + at)}
            step={step}
            records={[records[step.index], ...(step.resultIndex === undefined ? [] : [records[step.resultIndex]])]}
            position={rows.from + at + 1}
            total={shown.length}
            isOpen={isOpen(step)}
            isWhole={isWhole(step)}
            isCurrent={rows.from + at === current}
            isRaw={isRaw(query)}
            {...actions}
          />
        ))}
        <Space height={rows.afterPx} />
      </ol>
      {shown.length === 0 ? <p class="empty">{isRunning ? 'Nothing is recorded yet.' : 'No step matches.'}</p> : null}
    </div>
  )
}

function Figures(props: Pick<JournalProps, 'journal'> & { readonly shown: readonly JournalStep[] }): JSX.Element {
  const { records, steps, total, isRunning } = props.journal
  const { shown } = props
  const figures = useMemo(() => figuresText(journalFigures(steps)), [steps])
  return (
    <p class="quiet small" role="status">
      {figures}
      {shown.length < steps.length ? `; ${counted(shown.length, 'step matches', 'steps match')}` : ''}
      {records.length < total ? `; loading, ${counted(total, 'event')} in all` : ''}
      {isRunning ? '; running' : ''}
    </p>
  )
}

function Space({ height }: { readonly height: number }): JSX.Element | null {
  return height <= 0 ? null : <li class="space" aria-hidden="true" style={{ height: `${height}px` }} />
}

export function JournalPart(props: {
  readonly trial: TrialRoute
  readonly query: URLSearchParams
  /** As in `JournalView`. */
  readonly hasKeys?: boolean | undefined
}): JSX.Element {
  const { trial, ...rest } = props
  return <LoadedJournal loading={useJournal(trial)} {...rest} />
}

/** A journal, once it is fetched, or the reason why it cannot be shown. */
export function LoadedJournal(
  props: Omit<JournalProps, 'journal'> & { readonly loading: ReturnType<typeof useJournal> },
): JSX.Element {
  const { loading, query, hasKeys } = props
  return (
    <Loaded of={loading} missing="A static report does not contain journals. Use the store: jurist view">
      {(journal) =>
        'reason' in journal ? (
          <p class="empty">{journal.reason}</p>
        ) : (
          <JournalView journal={journal} query={query} hasKeys={hasKeys} />
        )
      }
    </Loaded>
  )
}

/** The part of a journal that is fetched so far. */
export interface FetchedJournal {
  readonly records: readonly unknown[]
  readonly steps: readonly JournalStep[]
  readonly total: number
  readonly isRunning: boolean
}

interface Fetched extends FetchedJournal {
  /** The trial. */
  readonly of: string
  readonly start: string
  /** The index of the first record of the last request. */
  readonly from: number
  readonly read: ReturnType<typeof stepReader>
}

const pollMs = 1_000

/** While a trial runs, new records of its journal are requested. */
const whileRunning = (document: JournalDocument) =>
  document.state === 'read' && document.isRunning && document.records.length === 0 ? pollMs : undefined

/** Fetches the journal of a trial in parts, and its new records while the trial runs. */
export function useJournal(trial: TrialRoute): Loading<FetchedJournal | { readonly reason: string }> {
  const path = trialPath(trial, 'journal')
  const of = path.join('/')
  const [last, setFetched] = useState<Fetched>()
  const fetched = last?.of === of ? last : undefined
  const { records: { length: count } = [], total = 0, isRunning = false } = fetched ?? {}
  const from = count < total || isRunning ? count : (fetched?.from ?? 0)
  const query = new URLSearchParams(from === 0 ? {} : { from: String(from) })
  const loading = useDocument<JournalDocument>(path, query, whileRunning)
  const document = loading.state === 'loaded' ? loading.document : undefined
  useEffect(() => {
    if (document?.state === 'read') setFetched(withPart(fetched, document, of))
  }, [document])
  if (loading.state !== 'loaded') return loading
  if (loading.document.state === 'unknown') return { state: 'loaded', document: { reason: loading.document.reason } }
  return fetched === undefined ? { state: 'loading' } : { state: 'loaded', document: fetched }
}

function withPart(
  before: Fetched | undefined,
  part: Extract<JournalDocument, { readonly state: 'read' }>,
  of: string,
): Fetched | undefined {
  const { start, total, isRunning, from } = part
  // The start differs if another attempt has started the journal from the beginning.
  if (before !== undefined && before.start !== '' && start !== before.start) return undefined
  if (from !== (before?.records.length ?? 0)) return before
  const read = before?.read ?? stepReader()
  const isSame = before !== undefined && part.records.length === 0
  const records = isSame ? before.records : [...(before?.records ?? []), ...part.records]
  const steps = isSame ? before.steps : read(part.records)
  return { of, records, steps, total, isRunning, start, from, read }
}
