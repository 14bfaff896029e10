import type { TrialOutcome } from '@jurist/experiment/result'
import type { Styles } from '@jurist/kit/terminal'
import type { Terminal } from './terminal.js'

const marks: { readonly [outcome in TrialOutcome | 'not-run']: readonly [unicode: string, ascii: string] } = {
  pass: ['✓', '+'],
  fail: ['✗', 'x'],
  timeout: ['T', 'T'],
  error: ['E', 'E'],
  undecided: ['?', '?'],
  'not-run': ['–', '-'],
}

/** The mark of an outcome: `✓ ✗ T E ? –`, or `+ x T E ? -` where only ASCII can be shown. */
export function markOf(outcome: TrialOutcome | 'not-run', unicode: boolean): string {
  return marks[outcome][unicode ? 0 : 1]
}

/** A text in the colour of an outcome. */
export function painted(outcome: TrialOutcome, text: string, style: Styles): string {
  switch (outcome) {
    case 'pass':
      return style.green(text)
    case 'undecided':
      return style.yellow(text)
    case 'fail':
    case 'timeout':
    case 'error':
      return style.red(text)
    default:
      return outcome satisfies never
  }
}

/** The placeholder for an unknown number. */
export function none({ unicode }: Pick<Terminal, 'unicode'>): string {
  return unicode ? '–' : '-'
}
