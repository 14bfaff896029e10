import type { JudgmentStatus } from '@jurist/core'
import type { RunStatus, TrialOutcome } from '@jurist/experiment/result'
import type { JSX } from 'preact'

const outcomeMarks: Readonly<Record<TrialOutcome, { readonly sign: string; readonly word: string }>> = {
  pass: { sign: '✓', word: 'passed' },
  fail: { sign: '✗', word: 'failed' },
  timeout: { sign: 'T', word: 'timeout' },
  error: { sign: 'E', word: 'error' },
  undecided: { sign: '?', word: 'undecided' },
}

export function outcomeWord(outcome: TrialOutcome): string {
  return outcomeMarks[outcome].word
}

/** An outcome has a sign and a word, so that colour never carries it alone. */
export function OutcomeMark({ outcome }: { readonly outcome: TrialOutcome }): JSX.Element {
  return (
    <span class={`mark ${outcome}`}>
      <Sign outcome={outcome} />
      {outcomeMarks[outcome].word}
    </span>
  )
}

/** The sign of an outcome, for places where the word is next to it. */
export function OutcomeSign({ outcome }: { readonly outcome: TrialOutcome }): JSX.Element {
  return (
    <span class={`mark ${outcome}`}>
      <Sign outcome={outcome} />
    </span>
  )
}

function Sign({ outcome }: { readonly outcome: TrialOutcome }): JSX.Element {
  return (
    <span class="sign" aria-hidden="true">
      {outcomeMarks[outcome].sign}
    </span>
  )
}

/** The letter beside the outcome of trials that a scan finds suspect. */
export function SuspectMark({ rules }: { readonly rules: string }): JSX.Element | null {
  return rules === '' ? null : (
    <abbr class="small" title={`suspect: ${rules}`}>
      S
    </abbr>
  )
}

/** The letter after the name of an item that counts nowhere. */
export function QuarantineMark({ reason }: { readonly reason: string }): JSX.Element | null {
  return reason === '' ? null : (
    <abbr class="small" title={reason}>
      {' '}
      Q
    </abbr>
  )
}

/** The outcome of a trial that passed, failed or was not decided (`null`). */
export function decidedOutcome(passed: boolean | null): TrialOutcome {
  return passed === null ? 'undecided' : passed ? 'pass' : 'fail'
}

const statusSigns: Readonly<Record<JudgmentStatus, string>> = { pass: '✓', fail: '✗', abstain: '?', error: 'E' }

/** The status of a judgment as a sign before the name of its judge. */
export function JudgmentMark(props: { readonly status: JudgmentStatus; readonly name: string }): JSX.Element {
  const { status, name } = props
  return (
    <span class={`mark ${status}`}>
      <span class="sign" role="img" aria-label={status}>
        {statusSigns[status]}
      </span>
      <strong>{name}</strong>
    </span>
  )
}

export function RunStatusWord({ status }: { readonly status: RunStatus }): JSX.Element {
  return <span class={status === 'running' ? 'live' : ''}>{status}</span>
}
