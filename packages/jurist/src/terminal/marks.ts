import type { TrialOutcome } from '@jurist/experiment/result'
import { type Styles, safeLine } from '@jurist/kit/terminal'
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

/** `2026-11-21 09:15` in the time zone of the terminal. */
export function dateAndTime(iso: string): string {
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return safeLine(iso)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}
