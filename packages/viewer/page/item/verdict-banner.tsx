import type { Verdict } from '@jurist/core'
import { type DecidingJudge, decidingJudge, failedByError, failureEvidence } from '@jurist/experiment/internal/results'
import { type ItemResult, outcomeOf } from '@jurist/experiment/result'
import type { ComponentChildren, JSX } from 'preact'
import { plainText, whyStopped } from '../text.js'
import { CheckLine } from './check-list.js'
import { Thrown } from './evidence-drawer.js'
import { PlacedText } from './place-link.js'

/** Why a trial ended as it did: its failure, or the judge that decided with its first failed check. */
export function VerdictBanner(props: { readonly item: ItemResult; readonly actions?: ComponentChildren }): JSX.Element {
  const { item, actions } = props
  const { failure, verdict } = item
  return (
    <div class={`row banner ${outcomeOf(item)}`}>
      <div class="banner-text">
        {failure === null ? null : <FailureLines failure={failure} />}
        {verdict === null ? (
          <p>{failure === null ? 'This trial was not judged.' : 'It was not judged.'}</p>
        ) : (
          <VerdictLines item={item} verdict={verdict} />
        )}
      </div>
      {actions}
    </div>
  )
}

function FailureLines({ failure }: { readonly failure: NonNullable<ItemResult['failure']> }): JSX.Element {
  return (
    <>
      <p>
        <strong>{failureWords[failure.origin]}</strong>
        {failure.infrastructure ? ' by the infrastructure, so the trial is undecided' : ''}
      </p>
      <Thrown error={failureEvidence(failure)} />
    </>
  )
}

const failureWords: Readonly<Record<NonNullable<ItemResult['failure']>['origin'], string>> = {
  setup: 'The workspace could not be set up',
  agent: 'The agent failed',
  jury: 'The jury failed',
  hook: 'A hook failed',
  user: 'The simulated user made a mistake, so the trial is undecided',
}

function VerdictLines({ item, verdict }: { readonly item: ItemResult; readonly verdict: Verdict }): JSX.Element {
  const deciding = decidingJudge(verdict)
  const why = whyStopped(verdict)
  if (deciding === null)
    return (
      <p>
        <strong>{verdict.aggregated.status === 'pass' ? 'Passed' : 'Verdict'}</strong>:{' '}
        {why ?? plainText(verdict.aggregated.reasoning)}
      </p>
    )
  return (
    <>
      <p>
        <strong>{deciding.path.slice(1)}</strong> {deedOf(item, deciding)}:{' '}
        <PlacedText text={beginningOf(deciding.judgment.reasoning)} />
      </p>
      {deciding.check === null ? null : <CheckLine check={deciding.check} as="p" />}
      {why === undefined ? null : <p class="quiet small">{why}</p>}
    </>
  )
}

const maxReason = 400

/** The tree below contains the whole string. */
function beginningOf(text: string): string {
  const trimmed = plainText(text).replace(/\s+/g, ' ').trim()
  return trimmed.length > maxReason ? `${trimmed.slice(0, maxReason - 1)}…` : trimmed
}

/** The outcome of the judge in words. An error of a judge is never a failure of the agent. */
function deedOf(item: ItemResult, { judgment }: DecidingJudge): string {
  switch (judgment.status) {
    case 'fail':
      return 'failed'
    case 'abstain':
      return 'abstained'
    case 'error':
      return failedByError(item) ? 'broke, which this jury counts as a fail' : 'broke'
    case 'pass':
      return 'passed'
    default:
      return judgment satisfies never
  }
}
