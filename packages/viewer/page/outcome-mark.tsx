import type { JSX } from 'preact'
import type { Outcome } from '../src/answers/outcome.js'

const marks: Readonly<Record<Outcome, { readonly sign: string; readonly word: string }>> = {
  pass: { sign: '✓', word: 'passed' },
  fail: { sign: '✗', word: 'failed' },
  timeout: { sign: 'T', word: 'timeout' },
  error: { sign: 'E', word: 'agent error' },
  undecided: { sign: '?', word: 'undecided' },
}

/** The word for an outcome. */
export function outcomeWord(outcome: Outcome): string {
  return marks[outcome].word
}

/** An outcome as sign and word: never by colour alone. */
export function OutcomeMark({ outcome }: { readonly outcome: Outcome }): JSX.Element {
  return (
    <span class={`mark ${outcome}`}>
      <span class="sign" aria-hidden="true">
        {marks[outcome].sign}
      </span>
      {marks[outcome].word}
    </span>
  )
}
