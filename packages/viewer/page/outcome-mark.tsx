import type { TrialOutcome } from '@jurist/experiment/result'
import type { JSX } from 'preact'

const marks: Readonly<Record<TrialOutcome, { readonly sign: string; readonly word: string }>> = {
  pass: { sign: '✓', word: 'passed' },
  fail: { sign: '✗', word: 'failed' },
  timeout: { sign: 'T', word: 'timeout' },
  error: { sign: 'E', word: 'agent error' },
  undecided: { sign: '?', word: 'undecided' },
}

/** The word for an outcome. */
export function outcomeWord(outcome: TrialOutcome): string {
  return marks[outcome].word
}

/** An outcome as sign and word: never by colour alone. */
export function OutcomeMark({ outcome }: { readonly outcome: TrialOutcome }): JSX.Element {
  return (
    <span class={`mark ${outcome}`}>
      <span class="sign" aria-hidden="true">
        {marks[outcome].sign}
      </span>
      {marks[outcome].word}
    </span>
  )
}
