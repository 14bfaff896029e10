import { briefTrials, type ExperimentResult, outcomeOf, reasonOf, wholeTrials } from '@jurist/experiment/result'
import { markOf } from './outcome.js'
import { runFigures } from './run-figures.js'
import { runTable } from './run-table.js'
import { safeLine } from './safe-text.js'
import type { Terminal } from './terminal.js'
import { fitted } from './width.js'

/** How much of a run is printed. */
export interface ReportLimits {
  /** Trials that did not pass. Default 20. */
  readonly failures?: number
  /** Items of the table. Default 200. */
  readonly items?: number
}

/** A whole run: heading, table of trials, figures, and why trials did not pass. */
export function runReport(result: ExperimentResult, terminal: Terminal, limits: ReportLimits = {}): string {
  const { failures = 20, items = 200 } = limits
  return [
    heading(result, terminal),
    '',
    ...(briefTrials(result).length === 0 ? ['  No trial has ended.'] : [runTable(result, terminal, items)]),
    '',
    ...runFigures(result, terminal),
    ...failureLines(result, terminal, failures),
    '',
  ].join('\n')
}

/** Experiment, variant and run id. */
function heading({ experimentName, variant, id, status }: ExperimentResult, { paint }: Terminal): string {
  const state = status === 'completed' ? '' : `   ${status}`
  return `${paint.bold(experimentName)}${variant === null ? '' : `  ${variant}`}   run ${id}${state}`
}

const longestLine = 2_000

/** The trials that did not pass, a line each. */
export function failureLines(result: ExperimentResult, terminal: Terminal, most: number): readonly string[] {
  const missed = briefTrials(result).filter(({ passed }) => passed !== true)
  if (missed.length === 0 || most === 0) return []
  const shown = wholeTrials(result, missed.slice(0, most)).map((item) => {
    const outcome = outcomeOf(item)
    const name = `  ${markOf(outcome, terminal.unicode)} ${safeLine(item.itemId)} #${item.repetition}  ${outcome}  `
    return fitted(
      `${name}${safeLine(reasonOf(item))}`,
      Math.min(Math.max(terminal.columns, 40), longestLine),
      terminal.unicode ? '…' : '~',
    )
  })
  const more = missed.length > most ? [`  and ${missed.length - most} more: jurist show ${result.id} --failures`] : []
  return ['', ...shown, ...more]
}
