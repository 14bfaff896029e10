import { totalCost } from '@jurist/core/internal'
import {
  counted,
  grouped,
  judgesThatRan,
  outcomeCounts,
  quarantineOf,
  rateBounds,
  takenMs,
  takenTogether,
  trialStages,
  trialsOf,
  triedOf,
} from '@jurist/experiment/internal/results'
import { dollars, duration, outcomeOf, percent, type RunResult, score, type Trial } from '@jurist/experiment/result'
import { groupBy } from '@jurist/kit/group-by'
import { type Column, safeLine, textTable } from '@jurist/kit/terminal'
import { markOf, none, painted, trialName } from './cells.js'
import type { Terminal } from './terminal.js'

/**
 * Formats the trials of a run with one item per line: a mark for each repetition, mean scores, cost, time. If the run
 * has more than `most` items, only those that did not pass are shown, with the number of all. If each repetition tries
 * something else, there is one line per trial, and if there are too many, only those that passed are shown.
 */
export function runTable(result: RunResult, terminal: Terminal, most: number): string {
  const trials = trialsOf(result)
  if (trials.some((trial) => triedOf(trial) !== undefined)) return triedTable(result, terminal, most)
  const all = idsOf(trials)
  const missed = all.size <= most ? all : idsOf(trials.filter(({ passed }) => passed !== true))
  const shown = missed.size <= most ? missed : new Set([...missed].slice(0, most))
  const items = [
    ...groupBy(
      trials.filter(({ itemId }) => shown.has(itemId)),
      ({ itemId }) => itemId,
    ),
  ]
  const table = items.length === 0 ? [] : [tableOf(items, result, terminal)]
  if (shown.size === all.size) return table.join('\n')
  const those =
    missed.size === 0
      ? 'Every one passed'
      : `Shown: ${grouped(shown.size)} of ${grouped(missed.size)} that did not pass`
  return [
    ...table,
    `  ${grouped(all.size)} items. ${those}; every item: ${terminal.command('show', result.id, '--all')}`,
  ].join('\n')
}

function triedTable(result: RunResult, terminal: Terminal, most: number): string {
  const trials = trialsOf(result)
  const passed = trials.length <= most ? trials : trials.filter((trial) => trial.passed === true)
  const shown = passed.slice(0, most)
  const columns: readonly Column[] = [{ title: 'TRIAL', shrinks: true }, { title: 'OUTCOME' }, time]
  const { unicode, style } = terminal
  const rows = shown.map((trial) => {
    const outcome = outcomeOf(trial)
    return [
      trialName(trial),
      painted(outcome, `${markOf(outcome, unicode)} ${outcome}`, style),
      duration(takenMs(trial), none(terminal)),
    ]
  })
  const table = rows.length === 0 ? [] : [tableText(columns, rows, terminal, result.id)]
  if (shown.length === trials.length) return table.join('\n')
  const those = `Shown: ${grouped(shown.length)} of ${grouped(passed.length)} that passed`
  return [
    ...table,
    `  ${grouped(trials.length)} trials. ${those}; every trial: ${terminal.command('show', result.id, '--all')}`,
  ].join('\n')
}

function tableText(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { columns: width, unicode, command }: Terminal,
  id: string,
): string {
  const hint = (dropped: readonly string[]) => {
    const judges = dropped.filter((title) => title !== time.title).length
    return judges === 0
      ? 'Too narrow for TIME.'
      : `${counted(judges, 'more judge')}: ${command('show', id, '--judges')}`
  }
  return textTable(columns, rows, { width, indent: '  ', ellipsis: unicode ? '…' : '~', hint })
}

function idsOf(items: readonly Trial[]): ReadonlySet<string> {
  return new Set(items.map(({ itemId }) => itemId))
}

type ItemTrials = readonly [itemId: string, trials: readonly Trial[]]

function tableOf(items: readonly ItemTrials[], result: RunResult, terminal: Terminal): string {
  const all = trialsOf(result)
  const repetitions = all.reduce((most, { repetition }) => Math.max(most, repetition), 1)
  const keys = judgesThatRan(all)
  const columns: readonly Column[] = [
    { title: 'ITEM', shrinks: true },
    ...Array.from({ length: repetitions }, (_, index) => ({ title: `#${index + 1}` })),
    ...droppable(keys),
    { title: 'COST', align: 'right' },
    time,
    { title: '' },
  ]
  const flaky = new Set(result.flakyItems)
  const rows = items.map(([itemId, trials]) => [
    safeLine(itemId),
    ...Array.from({ length: repetitions }, (_, index) => markAt(trials, index + 1, terminal)),
    ...keys.map((key) => meanScore(trials, key, terminal)),
    dollars(costOf(trials), none(terminal)),
    duration(takenTogether(trials), none(terminal)),
    quarantineOf(result, itemId) !== undefined ? 'quarantine' : flaky.has(itemId) ? 'flaky' : '',
  ])
  return tableText(columns, rows, terminal, result.id)
}

const time: Column = { title: 'TIME', align: 'right', drops: 1 }

/** Columns of judges. If there is no room for all of them, those of the first judges stay. */
function droppable(judges: readonly string[]): readonly Column[] {
  return judges.map((name, index) => ({ title: safeLine(name), align: 'right', drops: index + 2 }))
}

function markAt(trials: readonly Trial[], repetition: number, { unicode, style }: Terminal): string {
  const trial = trials.find((one) => one.repetition === repetition)
  if (trial === undefined) return markOf('not-run', unicode)
  const outcome = outcomeOf(trial)
  return painted(outcome, markOf(outcome, unicode), style)
}

function meanScore(trials: readonly Trial[], key: string, terminal: Terminal): string {
  const scores = trials.flatMap(({ scores }) => scores[key] ?? [])
  if (scores.length === 0) return none(terminal)
  return score(scores.reduce((sum, value) => sum + value, 0) / scores.length)
}

function costOf(trials: readonly Trial[]): number | null {
  return totalCost(trials.flatMap(({ costUsd, judgeCostUsd }) => [costUsd, judgeCostUsd])) ?? null
}

/**
 * Formats the variants of a session, one per line: passes of the decided trials with the 95 % interval (Wilson's,
 * unless trials were repeated), the number of planned trials that each tier or judge passed, timeouts separate from
 * failures, cost and time.
 */
export function sessionTable(results: readonly RunResult[], terminal: Terminal): string {
  const stages = [...new Set(results.flatMap((result) => stagesOf(trialsOf(result)).map(({ name }) => name)))]
  const methods = new Set(results.flatMap(({ passRateInterval: range }) => range?.method ?? []))
  const byItem = methods.size === 0 || [...methods].join() === 'wilson' ? '95 % WILSON' : '95 % BY ITEM'
  const undecided = results.some(({ counts }) => counts.undecided > 0)
  const notRun = results.some(({ counts }) => counts.notRun > 0)
  const columns: readonly Column[] = [
    { title: 'VARIANT', shrinks: true },
    { title: 'PASSED', align: 'right' },
    { title: 'RATE', align: 'right' },
    { title: methods.has('sequential') ? '95 %' : byItem, align: 'right' },
    ...droppable(stages),
    { title: 'TIMEOUT', align: 'right' },
    ...(undecided ? [{ title: 'UNDECIDED', align: 'right' as const }] : []),
    ...(notRun ? [{ title: 'NOT RUN', align: 'right' as const }] : []),
    { title: 'COST', align: 'right' },
    time,
  ]
  const rows = results.map((result) => rowOf(result, { stages, undecided, notRun }, terminal))
  return tableText(columns, rows, terminal, results[0]?.id ?? 'latest')
}

/** The columns that only some sessions have. */
interface Shown {
  readonly stages: readonly string[]
  readonly undecided: boolean
  readonly notRun: boolean
}

function rowOf(result: RunResult, { stages: names, undecided, notRun }: Shown, terminal: Terminal): readonly string[] {
  const { counts } = result
  const trials = trialsOf(result)
  const missing = none(terminal)
  const range = result.passRateInterval
  const stages = new Map(stagesOf(trials).map((stage) => [stage.name, stage]))
  return [
    safeLine(result.variant ?? result.experimentName),
    `${grouped(counts.passes)}/${grouped(counts.decided)}`,
    percent(result.passRate, missing),
    range === null ? missing : `${rateBounds(range)}${range.method === 'sequential' ? ', stopped early' : ''}`,
    ...names.map((name) => {
      const stage = stages.get(name)
      return stage === undefined
        ? missing
        : `${grouped(stage.passed)}/${grouped(stage.decided === 0 ? 0 : counts.planned)}`
    }),
    grouped(outcomeCounts(trials).timeout),
    ...(undecided ? [grouped(counts.undecided)] : []),
    ...(notRun ? [grouped(counts.notRun)] : []),
    dollars(totalCost([result.costUsd, result.judgeCostUsd]) ?? null, missing),
    duration(result.durationMs),
  ]
}

/** One tier of a cascade, or one member of a jury, over all trials of a run. */
export interface Stage {
  readonly name: string
  /** The number of trials that it passed. */
  readonly passed: number
  /** The number of trials that it passed or failed. */
  readonly decided: number
  readonly abstained: number
  readonly errors: number
  /** The number of trials that reached it. */
  readonly reached: number
  /** The number of trials whose jury does not contain it, because only some items have judges of their own. */
  readonly without: number
}

interface Counted extends Omit<Stage, 'name' | 'without'> {
  readonly had: number
}

/**
 * Counts the trials that reached and passed each tier (of a cascade) or each member (of any other jury), in the order
 * of the jury. A hidden test next to a visible one reveals work that passes only the visible one.
 */
export function stagesOf(trials: readonly Trial[]): readonly Stage[] {
  const stages = new Map<string, { -readonly [name in keyof Counted]: number }>()
  let judged = 0
  for (const trial of trials) {
    const ofTrial = trialStages(trial)
    if (ofTrial.length > 0) judged += 1
    for (const { name, status } of ofTrial) {
      const stage = stages.get(name) ?? { passed: 0, decided: 0, abstained: 0, errors: 0, reached: 0, had: 0 }
      stages.set(name, stage)
      stage.had += 1
      if (status === null) continue
      stage.reached += 1
      if (status === 'pass') stage.passed += 1
      stage[status === 'abstain' ? 'abstained' : status === 'error' ? 'errors' : 'decided'] += 1
    }
  }
  return [...stages].map(([name, { had, ...counts }]) => ({ name, ...counts, without: judged - had }))
}
