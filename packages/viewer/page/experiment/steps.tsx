import { counted, type MeanChange, points, type SetupChange } from '@jurist/experiment/internal/results'
import { dollars, duration, pEquals, percent } from '@jurist/experiment/result'
import type { JSX } from 'preact'
import type { ExperimentDocument, Step, TrendMeasure } from '../../src/answers/experiment.js'
import { linkTo } from '../router.js'
import { dateAndTime } from '../text.js'

export function SetupChanges({ changes }: { readonly changes: readonly SetupChange[] }): JSX.Element {
  return (
    <ul class="setup-changes">
      {changes.map(({ what, before, after, refuses }) => (
        <li key={what}>
          <span class="quiet">{what}</span> {before}
          <span class="arrow">→</span>
          {after}
          {refuses ? <span class="tag">not comparable</span> : null}
        </li>
      ))}
    </ul>
  )
}

/** Returns the names of what changed. The commit is left out, since it changes with nearly every run. */
export function changedNames(changes: readonly SetupChange[]): string {
  return changes
    .map(({ what }) => what)
    .filter((what) => what !== 'commit')
    .join(', ')
}

export function Steps({ document: { points: runs, steps } }: { readonly document: ExperimentDocument }): JSX.Element {
  const tests = steps[0]?.change.permutation.tests ?? 0
  if (runs.length < 2) return <p class="quiet steps">A trend needs two runs.</p>
  if (steps.length === 0)
    return <p class="quiet steps">No run differs from the one before by more than chance explains.</p>
  return (
    <section class="steps" aria-label="Steps">
      <ul>
        {steps.map((step) => (
          <li key={`${step.at} ${step.measure}`}>
            <StepLine step={step} runs={runs} />
          </li>
        ))}
      </ul>
      <p class="quiet small">
        The largest steps from one run to the next that chance does not explain: sign-flip test of item means, Holm over{' '}
        {counted(tests, 'step')} of each measure. Steps below 5 points or a fifth of cost or time, and slow drift, are
        not listed.
      </p>
    </section>
  )
}

function StepLine(props: { readonly step: Step; readonly runs: ExperimentDocument['points'] }): JSX.Element | null {
  const { at, measure, change } = props.step
  const { runs } = props
  const [before, run] = [runs[at - 1], runs[at]]
  if (before === undefined || run === undefined) return null
  const isBetter = betterIf[measure] === Math.sign(change.delta)
  const changed = changedNames(run.changes)
  return (
    <>
      <span class={`mark ${isBetter ? 'pass' : 'fail'}`}>
        <span class="sign" role="img" aria-label={isBetter ? 'better' : 'worse'}>
          {change.delta > 0 ? '↑' : '↓'}
        </span>
      </span>
      <span>
        <a href={linkTo(['compare', before.figures.id, run.figures.id])}>{dateAndTime(run.figures.startedAt)}</a>{' '}
        <strong>{stepText(measure, change)}</strong>{' '}
        <span class="quiet">
          {pEquals(change.permutation.adjustedPValue)}
          {changed === '' ? '' : `; with it changed: ${changed}`}
        </span>
      </span>
    </>
  )
}

const betterIf: Readonly<Record<TrendMeasure, number>> = { passRate: 1, costUsd: -1, durationMs: -1 }

/** `Pass rate 80.1 → 41.0 %, -39.1 points`. */
function stepText(measure: TrendMeasure, { baselineMean, candidateMean, delta }: MeanChange): string {
  switch (measure) {
    case 'passRate':
      return `Pass rate ${percent(baselineMean)} → ${percent(candidateMean)}, ${points(delta)} points.`
    case 'costUsd':
      return `Cost per trial ${dollars(baselineMean)} → ${dollars(candidateMean)}${timesText(baselineMean, candidateMean)}.`
    case 'durationMs':
      return `Time per trial ${duration(baselineMean)} → ${duration(candidateMean)}${timesText(baselineMean, candidateMean)}.`
    default:
      return measure satisfies never
  }
}

function timesText(before: number, after: number): string {
  return before > 0 ? `, × ${(after / before).toFixed(2)}` : ''
}
