import { checkOptions, option } from '@jurist/core/internal'
import { counted, dollars, duration, score } from '../result/amounts.js'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { outcomeOf } from '../result/trial-outcome.js'
import { trialDetails } from './console-details.js'
import { plainLine } from './escape/terminal.js'
import { figuresOf } from './figures.js'
import { type Paint, paintWith } from './paint.js'
import { textTable } from './table/text-table.js'
import { padded } from './table/width.js'
import { judgeKeys, meanScore, runName, trialsByItem } from './trial-outcome.js'

/** How `consoleReport` reports. */
export interface ConsoleReportOptions {
  /** Default `false`; whether the terminal wants colours (NO_COLOR) is for the caller to know. */
  readonly color?: boolean
  /** Columns of the terminal. Default 100. */
  readonly width?: number
  /** Which trials are told with their judgments and checks. Default `failures`: all that did not pass. */
  readonly details?: 'failures' | 'all' | 'none'
}

/**
 * A run for a terminal: every item with its outcome and scores, the pass rates with their interval, costs, tokens and
 * time, and why trials did not pass. Nothing that an item, a model or a file says can control the terminal.
 *
 * @throws `option-invalid`
 *
 * @example
 * console.log(consoleReport(result, { color: process.stdout.hasColors?.(), width: process.stdout.columns }))
 */
export function consoleReport(result: ExperimentResult, options?: ConsoleReportOptions): string {
  const {
    color = false,
    width = 100,
    details = 'failures',
  } = checkOptions('consoleReport', options, {
    color: option.boolean,
    width: option.integer(1),
    details: option.oneOf('failures', 'all', 'none'),
  })
  const paint = paintWith(color)
  const told = result.items.filter(({ passed }) => details === 'all' || (details === 'failures' && passed !== true))
  const parts = [
    heading(result, paint),
    ...(result.items.length === 0 ? [] : [itemTable(result, paint, width)]),
    figureLines(result, paint),
    ...told.map((item) => trialDetails(item, paint)),
  ]
  return `${parts.join('\n\n')}\n`
}

function heading(result: ExperimentResult, { bold, dim }: Paint): string {
  const { id, status, stopReason, dataset, startedAt } = result
  const stopped = stopReason === null ? status : `${status}: ${stopReason}`
  return [
    bold(plainLine(runName(result))),
    dim(`  ${id}  ${plainLine(`${dataset.name} ${dataset.version}`)}  ${startedAt}  ${stopped}`),
    ...lineageLine(result).map(dim),
  ].join('\n')
}

function lineageLine({ lineage }: ExperimentResult): readonly string[] {
  if (lineage === null) return []
  return [`  judged again from ${lineage.rejudgedFrom}; no agent was called, its costs belong to ${lineage.root}`]
}

const mostScores = 6

function itemTable(result: ExperimentResult, paint: Paint, width: number): string {
  const known = judgeKeys(Object.keys(result.scores))
  const keys = known.slice(0, mostScores)
  const columns = [
    { title: 'ITEM' },
    { title: 'OUTCOME' },
    ...keys.map((key) => ({ title: plainLine(key), align: 'right' as const })),
    { title: 'COST', align: 'right' as const },
    { title: 'TIME', align: 'right' as const },
  ]
  const rows = [...trialsByItem(result.items)].map(([itemId, trials]) => [
    plainLine(itemId),
    outcomeCell(trials, paint),
    ...keys.map((key) => score(meanScore(trials, key))),
    dollars(sum(trials.flatMap(({ costUsd }) => costUsd ?? []))),
    duration(sum(trials.map(({ durationMs }) => durationMs))),
  ])
  const left = known.length - keys.length
  return [
    textTable(columns, rows, { width, indent: '  ' }),
    ...(left === 0
      ? []
      : [`  and ${counted(left, 'more judge')}: markdownReport, or exportRows(results, 'judgments')`]),
  ].join('\n')
}

function outcomeCell(trials: readonly ItemResult[], paint: Paint): string {
  const passes = trials.filter(({ passed }) => passed === true).length
  const others = [...new Set(trials.filter(({ passed }) => passed !== true).map(outcomeOf))].join(', ')
  if (others === '') return paint.green(trials.length === 1 ? 'pass' : `pass ${passes} of ${trials.length}`)
  const style = trials.some(({ passed }) => passed === false) ? paint.red : paint.yellow
  return style(trials.length === 1 ? others : `pass ${passes} of ${trials.length}; ${others}`)
}

function sum(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((total, value) => total + value, 0)
}

function figureLines(result: ExperimentResult, { dim }: Paint): string {
  const figures = figuresOf(result)
  return figures.map(({ name, value }) => `  ${dim(padded(name, 9))} ${plainLine(value)}`).join('\n')
}
