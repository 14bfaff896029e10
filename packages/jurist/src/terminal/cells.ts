import { trialText, triedOf } from '@jurist/experiment/internal/results'
import type { Trial, TrialOutcome } from '@jurist/experiment/result'
import type { RunEntry } from '@jurist/experiment/store'
import { type Column, type Styles, safeLine } from '@jurist/kit/terminal'
import type { Terminal } from './terminal.js'

const marks: { readonly [outcome in TrialOutcome | 'not-run']: readonly [unicode: string, ascii: string] } = {
  pass: ['✓', '+'],
  fail: ['✗', 'x'],
  timeout: ['T', 'T'],
  error: ['E', 'E'],
  undecided: ['?', '?'],
  'not-run': ['–', '-'],
}

/** Returns the mark of an outcome: `✓ ✗ T E ? –`, or `+ x T E ? -` if only ASCII can be displayed. */
export function markOf(outcome: TrialOutcome | 'not-run', unicode: boolean): string {
  return marks[outcome][unicode ? 0 : 1]
}

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

/** Formats `2026-11-21 09:15` in the time zone of the terminal. */
export function dateAndTime(iso: string): string {
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return safeLine(iso)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** Formats a number of bytes with a decimal unit. */
export function bytesText(bytes: number): string {
  let [value, at] = [bytes, 0]
  while (value >= 999.5 && at < units.length - 1) {
    value /= 1_000
    at += 1
  }
  return `${at === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(1)} ${units[at]}`
}

/** Formats the item and the repetition of a trial, and its mutant or probe if repetitions differ. */
export function trialName(trial: Trial): string {
  const tried = triedOf(trial)
  return `${safeLine(trialText(trial))}${tried === undefined ? '' : ` ${safeLine(tried)}`}`
}

/** The first columns of a table of runs, which identify a run. */
export const runColumns: readonly Column[] = [
  { title: 'RUN', shrinks: false },
  { title: 'STARTED', shrinks: false, drops: 8 },
  { title: 'EXPERIMENT', shrinks: true },
  { title: 'VARIANT', shrinks: true },
  { title: 'KIND', shrinks: false, drops: 7 },
]

/** Returns the cells of a run for `runColumns`. The kind is the value for `list --kind`. */
export function runCells({ id, startedAt, experimentName, variant, kind }: RunEntry): readonly string[] {
  return [id, dateAndTime(startedAt), safeLine(experimentName), safeLine(variant ?? ''), kind]
}
