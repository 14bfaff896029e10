import { pairText, trialText } from '@jurist/experiment/internal/results'
import { duration } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { ReviewDocument } from '../../src/review/review-documents.js'
import { commandLine } from '../command.js'
import { CopyButton } from '../copy-button.js'
import { Figures, Part } from '../parts.js'
import { runName } from '../text.js'
import type { Review } from './use-review.js'

export function labelledIn({ counts }: ReviewDocument['progress']): number {
  return counts.pass + counts.fail + counts.skip
}

/** The progress of the pass, its pace, and the agreement between people. */
export function ReviewProgress({ document }: { readonly document: ReviewDocument }): JSX.Element {
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

export function LatestLabel({ latest, problem }: Pick<Review, 'latest' | 'problem'>): JSX.Element {
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
export function ReviewEnd({ document }: { readonly document: ReviewDocument }): JSX.Element {
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
