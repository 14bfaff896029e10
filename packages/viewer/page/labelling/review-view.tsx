import { trialText } from '@jurist/experiment/internal/results'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { ReviewDocument, ReviewTrial } from '../../src/review/review-documents.js'
import { Loaded, useDocument, Waiting } from '../documents.js'
import { useKeys } from '../keys.js'
import { linkTo, useRoute } from '../router.js'
import { runName } from '../text.js'
import { LabelBar, LabelButton } from './label-bar.js'
import { LatestLabel, labelledIn, ReviewEnd, ReviewProgress } from './review-progress.js'
import { ShownParts } from './shown-parts.js'
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
