import { certificateLines, certificateUses, estimateLines } from '@jurist/experiment/internal'
import {
  type AlikeTrials,
  alikeTrials,
  counted,
  countedTrials,
  decidedText,
  environmentText,
  failureText,
  grouped,
  namedInterval,
  passAtKText,
  passHatKText,
  quarantineText,
  readThreshold,
  resultWithItems,
  scoreMeans,
  testsCannotFailText,
  thresholdLines,
  trialsOf,
  triedOf,
  type UndecidedJudge,
  undecidedJudges,
  undecidedJudgeText,
  undecidedText,
  userFaultsText,
} from '@jurist/experiment/internal/results'
import type { RunEstimate } from '@jurist/experiment/label'
import { dollars, duration, percent, type RunResult, tokensOf } from '@jurist/experiment/result'
import { groupBy } from '@jurist/kit/group-by'
import { fitted, safeLine } from '@jurist/kit/terminal'
import { markOf, none, painted, trialName } from './cells.js'
import { runTable, stagesOf } from './run-tables.js'
import type { Terminal } from './terminal.js'

const longestReason = 2_000
const mostLines = 4
const mostNames = 3

/**
 * Formats the reasons why trials did not pass. Similar reasons share an entry; the most frequent come first, up to
 * `most` entries. A reason is as long as four lines of the terminal.
 */
export function failureLines(result: RunResult, terminal: Terminal, most: number): readonly string[] {
  const groups = alikeTrials(countedTrials(result))
  if (groups.length === 0 || most === 0) return []
  const left = groups.slice(most).reduce((sum, { trials }) => sum + trials.length, 0)
  return [
    '',
    ...groups.slice(0, most).flatMap((group) => groupLines(group, terminal)),
    ...(left === 0 ? [] : [`  and ${left} more: ${terminal.command('show', result.id, '--failures')}`]),
  ]
}

function groupLines({ outcome, reason, same, trials }: AlikeTrials, terminal: Terminal): readonly string[] {
  const { style, unicode } = terminal
  const [first] = trials
  if (first === undefined) return []
  const name = trials.length === 1 ? trialName(first) : counted(trials.length, 'trial')
  const head = `  ${painted(outcome, markOf(outcome, unicode), style)} ${style.bold(name)}  ${painted(outcome, outcome, style)}  `
  const room = Math.min(terminal.columns * mostLines, longestReason)
  const line = `${head}${fitted(safeLine(reason), room, unicode ? '…' : '~')}`
  if (trials.length === 1) return [line]
  const names = trials.slice(0, mostNames).map(trialName).join(', ')
  const more = trials.length > mostNames ? ` and ${trials.length - mostNames} more` : ''
  return [line, style.dim(`      ${same ? '' : 'and alike: '}${names}${more}`)]
}

/** Formats the decisions of a run under its certificates; empty for a run without certificates. */
export async function certificateBlock(run: RunResult): Promise<readonly string[]> {
  if (run.jury?.certificates === undefined) return []
  return certificateUses(await resultWithItems(run)).flatMap((use) => [
    `  Certificate ${safeLine(use.certificate.id)}`,
    ...certificateLines(use).map((line) => `    ${safeLine(line)}`),
    '',
  ])
}

/** Formats the true pass rate of a run by the labels of people. */
export function estimateBlock(estimate: RunEstimate, { style, command }: Terminal): readonly string[] {
  const [first = '', ...others] = estimateLines(estimate, command).map(safeLine)
  return [`  By labels  ${style.bold(first)}`, ...others.map((line) => `             ${line}`)]
}

/** The limits for printing a run. */
interface ReportLimits {
  /** Trials that did not pass. Default 20. */
  readonly failures?: number
  /** Items of the table; of more, only those that did not pass. Default 20. */
  readonly items?: number
  /** The judges that decided too little. Default: those that are known without reading trials. */
  readonly judges?: readonly UndecidedJudge[]
}

/** Formats the judges that decided too little, each with its remedy on the next line. */
export function undecidedJudgeLines(
  judges: readonly UndecidedJudge[],
  { style }: Terminal,
  run = '',
): readonly string[] {
  const lines = [...groupBy(judges, (judge) => undecidedJudgeText({ ...judge, path: '' })).values()].flatMap(
    ([first, ...alike]) => {
      const judge = withAlike(first, alike)
      const paint = judge.decided === 0 && !judge.isAllowed ? style.red : style.yellow
      const said = paint(safeLine(`! ${run === '' ? '' : `${run}: `}${undecidedJudgeText(judge)}`))
      return judge.remedy === '' ? [said] : [said, `  ${safeLine(judge.remedy)}`]
    },
  )
  return lines.length === 0 ? [] : [...lines, '']
}

/** Several judges with the same counts and the same reason are one line, such as those of a model that does not answer. */
function withAlike(first: UndecidedJudge, alike: readonly UndecidedJudge[]): UndecidedJudge {
  const path = [first, ...alike].map(({ path }) => path).join(', ')
  return { ...first, path, remedy: first.remedy.replace(`[${first.path}]`, `[${path}]`) }
}

/**
 * Formats the warning about trials whose tests pass regardless of their expectations; with the name of the run if there
 * are several.
 */
export function cannotFailLines(text: string, { style }: Terminal, run = ''): readonly string[] {
  return text === '' ? [] : [style.red(safeLine(`! ${run === '' ? '' : `${run}: `}${text}`)), '']
}

/**
 * Formats a whole run: judges that decided too little, heading, figures, table of trials, and reasons why trials did
 * not pass.
 */
export function runReport(result: RunResult, terminal: Terminal, limits: ReportLimits = {}): string {
  const { failures = 20, items = 20, judges = undecidedJudges(result) } = limits
  return [
    ...cannotFailLines(testsCannotFailText(result), terminal),
    ...undecidedJudgeLines(judges, terminal),
    heading(result, terminal),
    '',
    ...runFigures(result, terminal),
    '',
    ...(trialsOf(result).length === 0 ? ['  No trial has ended.'] : [runTable(result, terminal, items)]),
    ...failureLines(result, terminal, failures),
    '',
  ].join('\n')
}

/** Formats experiment, variant, run id, and shard. */
function heading({ experimentName, variant, id, status, shard }: RunResult, { style }: Terminal): string {
  const state = status === 'completed' ? '' : `   ${status}`
  const part = shard === undefined ? '' : `   shard ${shard.index}/${shard.count}`
  return `${style.bold(experimentName)}${variant === null ? '' : `  ${variant}`}   run ${id}${part}${state}`
}

/** Formats the figures of a run, each with its denominator. */
function runFigures(result: RunResult, terminal: Terminal): readonly string[] {
  const agents = duration(result.agentMs?.total, none(terminal))
  const time = `  Time       ${agents} of agents, ${duration(result.durationMs)} on the clock`
  return [
    ...passLines(result, terminal),
    ...stopLines(result),
    ...outcomeLines(result, terminal),
    ...stageLines(result),
    ...passAtLines(result),
    ...scoreLines(result),
    ...[...costLines(result, terminal), time].map(terminal.style.dim),
  ]
}

function passLines(result: RunResult, terminal: Terminal): readonly string[] {
  const { counts, passRate, passRateOfAll, passRateInterval: range } = result
  const bounds =
    range !== null
      ? `   (${namedInterval(range)})`
      : counts.decided > 0
        ? '   (no interval: the trials of one item)'
        : ''
  const share = (passes: number, of: number) => `${grouped(passes)} of ${grouped(of)}`
  const missing = none(terminal)
  const decided = `  Passed     ${share(counts.passes, counts.decided)} decided  ${terminal.style.bold(percent(passRate, missing))}${bounds}`
  const quarantine = quarantineText(result)
  const apart = quarantine === '' ? [] : [`  Quarantine ${quarantine}`]
  if (counts.decided === counts.planned) return [decided, ...apart]
  const of = `${share(counts.passes, counts.planned)} planned  ${percent(passRateOfAll, missing)}`
  return [decided, `             ${of}   ${undecidedText(countedTrials(result), counts.planned)}`, ...apart]
}

/** Formats the decision of a run that stops when it is decided; the comparison with its baseline has more. */
function stopLines(result: RunResult): readonly string[] {
  const reading = readThreshold(result)
  if (reading !== undefined)
    return thresholdLines(reading).map((line, place) => `  ${place === 0 ? 'Threshold ' : '          '} ${line}`)
  const { decided } = result
  if (decided === undefined) return []
  const { after, planned, why, ahead } = decided
  const more =
    ahead.length === 0 ? '' : `; ${counted(ahead.length, 'item')} ran ahead of the stop, and nothing uses them`
  return [`  Stopped    early: decided after ${grouped(after)} of ${counted(planned, 'item')} (${why})${more}`]
}

/** Timeouts are shown separately from other failures. */
function outcomeLines(result: RunResult, terminal: Terminal): readonly string[] {
  const failed = failureText(countedTrials(result))
  return [
    ...(failed === '' ? [] : [`  Failed     ${terminal.style.red(failed)}`]),
    ...userLines(result),
    ...machineLines(result, terminal),
  ]
}

/** Trials with mistakes of simulated users are undecided. */
function userLines({ userFaults }: RunResult): readonly string[] {
  const faults = userFaultsText(userFaults)
  return faults === '' ? [] : [`  User fault ${safeLine(faults)}`]
}

/**
 * Formats the failures that a missing tool or network may have caused: until they are investigated, the figures are
 * unreliable.
 */
export function machineLines(result: RunResult, { command }: Terminal): readonly string[] {
  const machine = environmentText(countedTrials(result), result.id, command())
  return machine === '' ? [] : [`  Machine    ${safeLine(machine)}`]
}

function stageLines(result: RunResult): readonly string[] {
  const { planned } = result.counts
  const stages = stagesOf(countedTrials(result))
  if (stages.length < 2) return []
  const parts = stages.map(({ name, reached, without, ...counts }) => {
    const all = planned - without
    const stopped = reached === all ? '' : ` (${grouped(reached)} reached)`
    const passed = counts.decided === reached ? `${grouped(counts.passed)}/${grouped(all)}` : decidedText(counts)
    return `${safeLine(name)} ${passed}${stopped}`
  })
  return [`  By judge   ${parts.join('   ')}`]
}

function passAtLines(result: RunResult): readonly string[] {
  const { passAtK } = result
  const trials = trialsOf(result)
  // If each repetition tries something else, repetitions are not attempts at the same task.
  if (trials.every(({ repetition }) => repetition === 1) || trials.some((one) => triedOf(one) !== undefined)) return []
  if (passAtK.length === 0) return []
  return [`  pass@k     ${passAtKText(passAtK)}`, `  pass^k     ${passHatKText(passAtK)}`]
}

/** Formats means with their standard errors for scores other than pass and fail. */
function scoreLines({ scores }: RunResult): readonly string[] {
  return scoreMeans(scores).map(
    ({ name, mean, basis }, index) =>
      `  ${index === 0 ? 'Scores' : '      '}     ${safeLine(name)} ${mean}   (${basis})`,
  )
}

function costLines(result: RunResult, terminal: Terminal): readonly string[] {
  const { costUsd, judgeCostUsd, userCostUsd, usage, unpricedTrials } = result
  const missing = none(terminal)
  const unpriced = unpricedTrials > 0 ? `   ${counted(unpricedTrials, 'trial')} without a declared cost` : ''
  const input = usage?.inputTokens
  const output = usage?.outputTokens
  const tokens = tokensOf(usage) === null ? '' : `   tokens ${grouped(input ?? 0)} in, ${grouped(output ?? 0)} out`
  if (costUsd === null && judgeCostUsd === null && userCostUsd === null && tokens === '')
    return [`  Cost       not declared`]
  const judges = judgeCostUsd === null ? '' : `  ${dollars(judgeCostUsd)} judges`
  const users = userCostUsd === null ? '' : `  ${dollars(userCostUsd)} users`
  return [`  Cost       ${dollars(costUsd, missing)} agent${judges}${users}${tokens}${unpriced}`]
}
