import { asText } from '@jurist/core'
import { type ExperimentResult, type ItemResult, outcomeOf, reasonOf } from '@jurist/experiment/result'
import { dollars, duration } from './amounts.js'
import { markOf, painted } from './outcome.js'
import { none } from './run-table.js'
import { safeLine } from './safe-text.js'
import type { Terminal } from './terminal.js'
import { indented, verdictLines } from './verdict-report.js'

interface TrialReportOptions {
  /** Only judgments at this path or below it. */
  readonly judge?: string | undefined
  /** Show what the agent answered. */
  readonly output?: boolean | undefined
}

/** One trial down to each check. */
export function trialReport(
  run: ExperimentResult,
  item: ItemResult,
  terminal: Terminal,
  options: TrialReportOptions = {},
): string {
  return [
    ...trialHeading(run, item, terminal),
    ...failureOf(item),
    ...(item.verdict === null ? ['', '  Not judged.'] : verdictLines(item.verdict, terminal, options.judge)),
    ...(options.output === true ? outputLines(item) : []),
    ...placeLines(item),
    '',
  ].join('\n')
}

function trialHeading(run: ExperimentResult, item: ItemResult, terminal: Terminal): readonly string[] {
  const { paint, unicode } = terminal
  const outcome = outcomeOf(item)
  const variant = run.variant === null ? '' : `  ${run.variant}`
  const time = `setup ${duration(item.setupMs)}, agent ${duration(item.agentMs)}, jury ${duration(item.juryMs)}`
  return [
    `${paint.bold(safeLine(item.itemId))} #${item.repetition}   ${run.experimentName}${variant}   run ${run.id}`,
    '',
    `  ${painted(outcome, `${markOf(outcome, unicode)} ${outcome}`, paint)}   agent ${item.agent}, judged ${item.judged}`,
    ...(item.passed === true ? [] : [`  Reason ${safeLine(reasonOf(item))}`]),
    `  Time   ${duration(item.durationMs)}   (${time})`,
    `  Cost   ${dollars(item.costUsd, none(terminal))} agent, ${dollars(item.judgeCostUsd, none(terminal))} judges`,
    `  Task   ${safeLine(item.task).slice(0, 400)}`,
  ]
}

function failureOf({ failure, attempts }: ItemResult): readonly string[] {
  const earlier = attempts.map(
    ({ failure: one }, index) => `  Attempt ${index + 1} failed: ${safeLine(one.message)} (${one.origin})`,
  )
  if (failure === null) return earlier
  const code = failure.code === undefined ? '' : ` [${safeLine(failure.code)}]`
  return [...earlier, `  Failure of ${failure.origin}${code}: ${safeLine(failure.message)}`]
}

function outputLines({ detail }: ItemResult): readonly string[] {
  const output = detail?.kind === 'agent' ? detail.invocation.output : undefined
  if (output === undefined) return ['', '  The agent answered nothing.']
  return ['', '  Output', `    ${indented(asText(output), '')}`]
}

function placeLines({ workspacePath, journalPath }: ItemResult): readonly string[] {
  const places = [
    ...(workspacePath === null ? [] : [`  Workspace   ${safeLine(workspacePath)}`]),
    ...(journalPath === null ? [] : [`  Journal     ${safeLine(journalPath)}`]),
  ]
  return places.length === 0 ? [] : ['', ...places]
}
