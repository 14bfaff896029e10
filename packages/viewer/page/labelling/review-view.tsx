import { pairText, trialText } from '@jurist/experiment/internal/results'
import { duration } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ReviewDocument, ReviewTrial } from '../../src/review/reviewer.js'
import { CopyButton } from '../copy-button.js'
import { Loaded, useDocument, Waiting } from '../documents.js'
import { ChangesPart } from '../item/changes-part.js'
import { isRaw, RawSwitch, ReadingContext, toggledIn } from '../item/reading.js'
import { Texts } from '../item/texts-part.js'
import { useKeys } from '../keys.js'
import { Figures, Part } from '../parts.js'
import { linkTo, type TrialRoute, useRoute } from '../router.js'
import { commandLine, runName } from '../text.js'
import { JournalPart } from '../transcript/journal-view.js'
import { Hotkey, LabelBar, LabelButton } from './label-bar.js'
import { type Review, useReview } from './use-review.js'

/** Shows one trial after the other, until all are labelled. */
export function ReviewView(): JSX.Element {
  const review = useReview()
  const { document: shown, problem } = review
  const name = shown === undefined ? '' : runName(shown)
  useEffect(() => {
    document.title = [name, 'Labels', 'Jurist'].filter((part) => part !== '').join(' · ')
  }, [name])
  if (shown === undefined)
    return problem === undefined ? (
      <Waiting />
    ) : (
      <>
        <h1>Labels</h1>
        <p class="empty" role="alert">
          {problem}
        </p>
      </>
    )
  const { next } = shown.progress
  if (next === null) return <End document={shown} review={review} />
  return <TrialToLabel key={trialText(next)} trial={next} document={shown} review={review} />
}

interface ViewProps {
  readonly document: ReviewDocument
  readonly review: Review
}

function End({ document, review: { undo, latest, problem } }: ViewProps): JSX.Element {
  const canUndo = document.progress.last !== null
  useArrivalAtHeading(true)
  useKeys(canUndo ? { u: { does: 'Undo the last label', act: undo, isOnce: true } } : {})
  return (
    <>
      <ReviewEnd document={document} />
      <div class="row label-buttons part">
        <LabelButton name="Undo" isDisabled={!canUndo} onClick={undo} />
        <LatestLabel latest={latest} problem={problem} />
      </div>
    </>
  )
}

interface TrialProps extends ViewProps {
  readonly trial: { readonly itemId: string; readonly repetition: number }
}

function TrialToLabel({ trial, document, review }: TrialProps): JSX.Element {
  const loading = useDocument<ReviewTrial>(['items', trial.itemId, String(trial.repetition)])
  const { progress } = document
  useArrivalAtHeading(loading.state === 'loaded')
  return (
    <div class="review-trial">
      <h1 tabIndex={-1}>
        {trialText(trial)}{' '}
        <span class="quiet small">
          {labelledIn(progress) + 1} of {progress.total}
        </span>
      </h1>
      <ReviewProgress document={document} />
      <Loaded of={loading} missing="This trial is no longer in the store.">
        {(shown) => <Labelling shown={shown} document={document} review={review} />}
      </Loaded>
    </div>
  )
}

function Labelling({ shown, document, review }: ViewProps & { readonly shown: ReviewTrial }): JSX.Element {
  const { query } = useRoute()
  const seconds = useStopwatch()
  const { itemId, repetition, hash } = shown
  const { undone, latest, problem, keep, undo } = review
  return (
    <>
      <ShownParts shown={shown} run={document.run} query={query} />
      <LabelBar
        known={document.categories}
        initial={undone !== undefined && trialText(undone) === trialText(shown) ? undone : undefined}
        canUndo={document.progress.last !== null}
        onLabel={(opinion) => keep({ itemId, repetition, ...opinion, seconds: seconds(), shown: hash, replaces: null })}
        onUndo={undo}
      >
        <LatestLabel latest={latest} problem={problem} />
      </LabelBar>
    </>
  )
}

/** A new trial begins at its top, with the focus on its heading and everything collapsed. */
function useArrivalAtHeading(isShown: boolean): void {
  useEffect(() => {
    const raw = new URLSearchParams(location.hash.split('?')[1]).get('raw') ?? undefined
    history.replaceState(null, '', raw === undefined ? location.pathname : linkTo([], { raw }))
    dispatchEvent(new HashChangeEvent('hashchange'))
  }, [])
  useEffect(() => {
    if (!isShown) return
    scrollTo(0, 0)
    document.querySelector('h1')?.focus({ preventScroll: true })
  }, [isShown])
}

/**
 * Measures how long something has been shown, without the time in which its tab was hidden. The result returns the
 * seconds so far.
 */
function useStopwatch(): () => number {
  const watch = useRef({ startMs: performance.now(), beforeMs: 0 })
  const shownMs = () => {
    const { startMs, beforeMs } = watch.current
    return beforeMs + (document.hidden ? 0 : performance.now() - startMs)
  }
  useEffect(() => {
    const change = () => {
      const { startMs, beforeMs } = watch.current
      const now = performance.now()
      watch.current = { startMs: now, beforeMs: document.hidden ? beforeMs + now - startMs : beforeMs }
    }
    document.addEventListener('visibilitychange', change)
    return () => document.removeEventListener('visibilitychange', change)
  }, [])
  return () => Math.round(shownMs() / 100) / 10
}

/** A trial as the labeller sees it: its task and output, the agent's changes, and the journal on request. */
function ShownParts(props: {
  readonly shown: ReviewTrial
  readonly run: string
  readonly query: URLSearchParams
}): JSX.Element {
  const { shown, run, query } = props
  const { itemId, repetition, task, sources, output, expected, turns, hasChanges, hasJournal } = shown
  const trial: TrialRoute = { run, itemId, repetition }
  return (
    <ReadingContext.Provider
      value={{ trial: hasChanges ? trial : null, isRaw: isRaw(query), toggled: toggledIn(query) }}
    >
      <Texts {...{ task, sources, output, expected, turns }} user={undefined} />
      {hasChanges ? (
        <Part title="Changes">
          <ChangesPart trial={trial} query={query} />
        </Part>
      ) : null}
      {hasJournal ? (
        <Journal trial={trial} query={query} />
      ) : (
        // The journal has a switch of its own.
        <div class="row choices part">
          <RawSwitch query={query} />
        </div>
      )}
    </ReadingContext.Provider>
  )
}

/** The journal is long, so it is collapsed until the key `j` opens it. */
function Journal({ trial, query }: { readonly trial: TrialRoute; readonly query: URLSearchParams }): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isOpen) section.current?.scrollIntoView()
  }, [isOpen])
  useKeys({ j: { does: 'Open or close the journal', act: () => setOpen(!isOpen) } })
  return (
    <section class="part" ref={section}>
      <h2>Journal</h2>
      <div class="row choices">
        <button type="button" aria-expanded={isOpen} aria-keyshortcuts="j" onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Close' : 'Open'} the journal <Hotkey is="j" />
        </button>
        {isOpen ? null : <RawSwitch query={query} />}
      </div>
      {isOpen ? <JournalPart trial={trial} query={query} hasKeys={false} /> : null}
    </section>
  )
}

function labelledIn({ counts }: ReviewDocument['progress']): number {
  return counts.pass + counts.fail + counts.skip
}

/** The progress of the pass, its pace, and the agreement between people. */
function ReviewProgress({ document }: { readonly document: ReviewDocument }): JSX.Element {
  const { progress, annotator, use } = document
  const { total, secondsEach, pairs } = progress
  const labelled = labelledIn(progress)
  return (
    <div class="review-progress">
      <progress value={labelled} max={total} aria-label="Labelled trials" />
      <div class="row facts-line quiet small">
        <span>{runName(document)}</span>
        <span>
          {labelled} of {total} labelled by {annotator}
        </span>
        {secondsEach === null ? null : (
          <span>
            {duration(secondsEach * 1_000)} each
            {labelled < total ? `, ${duration((total - labelled) * secondsEach * 1_000)} to go` : ''}
          </span>
        )}
        {pairs.map((pair) => (
          <span key={pair.annotators.join(' ')}>{pairText(pair)}</span>
        ))}
        {use === 'explore' ? <span>not a uniform sample: these labels certify nothing</span> : null}
      </div>
    </div>
  )
}

const words = { pass: 'pass', fail: 'fail', skip: 'skipped' } as const

function LatestLabel({ latest, problem }: Pick<Review, 'latest' | 'problem'>): JSX.Element {
  if (problem !== undefined)
    return (
      <p class="latest fail" role="alert">
        {problem}
      </p>
    )
  return (
    <p class="latest quiet small" role="status">
      {latest === undefined
        ? ''
        : `${trialText(latest)}: ${latest.label === null ? 'label taken back' : words[latest.label]}`}
    </p>
  )
}

/** The end of a pass: the labels, and what to do with them. */
function ReviewEnd({ document }: { readonly document: ReviewDocument }): JSX.Element {
  const { total, counts, pairs } = document.progress
  const hasDisagreements = pairs.some(({ agreeing, trials }) => agreeing < trials)
  return (
    <>
      <h1 tabIndex={-1}>
        {total === 0
          ? 'There is no trial to label'
          : `${total === 1 ? 'The trial is' : `All ${total} trials are`} labelled`}
      </h1>
      <ReviewProgress document={document} />
      <Figures
        figures={[
          { name: 'pass', value: String(counts.pass) },
          { name: 'fail', value: String(counts.fail) },
          { name: 'skipped', value: String(counts.skip) },
        ]}
      />
      <Next title="How far judges agree with the labels" command={commandLine('calibrate', '--run', document.run)} />
      {hasDisagreements ? (
        <Next
          title="A third opinion where people differ"
          command={commandLine('view', document.run, '--review', '--disagreements', '--by', 'NAME')}
        />
      ) : null}
    </>
  )
}

function Next({ title, command }: { readonly title: string; readonly command: string }): JSX.Element {
  return (
    <Part title={title}>
      <p>
        <code>{command}</code> <CopyButton text={command} label="Copy the command" />
      </p>
    </Part>
  )
}
