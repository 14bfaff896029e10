import { isPlainObject, totalCost } from '@jurist/core/internal'
import { groupBy } from '@jurist/kit/group-by'
import { quarantinedItems, splitTrials } from './quarantine.js'
import type { AgentOutcome, ExperimentResult, JudgedOutcome, RunRecord } from './records.js'
import { repetitionFigures } from './repeated.js'
import { scoreSummaries } from './scores.js'
import { sumUsage } from './spending.js'
import { quantile } from './statistics/descriptive.js'
import { likeInterval } from './statistics/finite-rate.js'
import { statisticInvalid } from './statistics/invalid.js'
import type { Counts, QuarantineFigures, Summary } from './summary.js'
import type { RunOverview, RunResult, SummarizedTrial, TrialName } from './trial-figures.js'
import { userFigures } from './user-faults.js'

/** The trials of a run (their figures are enough), and how many were planned. */
export interface SummarizedRun {
  readonly items: readonly SummarizedTrial[]
  readonly planned: number
  /** Further k of pass@k and pass^k, whole numbers of at least 1; those beyond the trials of every item are left out. */
  readonly passAt?: readonly number[]
  /** Trials in quarantine, which are not among `items` and not planned. Default: none. */
  readonly apart?: readonly SummarizedTrial[]
}

/**
 * Summarizes the items of a run, in time linear in their number (quantiles sort).
 *
 * @throws `statistic-invalid` when a score is not a finite number, and for a `passAt` below 1
 *
 * @example
 * import { summarize } from '@jurist/experiment/result'
 * import { anItem } from '@jurist/experiment/testing'
 *
 * const { passRate, passRateOfAll, flakyItems } = summarize({ items: [anItem()], planned: 12 })
 */
export function summarize({ items, planned, passAt = [], apart = [] }: SummarizedRun): Summary {
  const counts = countsOf(items, planned)
  const ran = apart.length === 0 ? items : [...items, ...apart]
  const { repeated, ...figures } = repetitionFigures(items, counts, checkedPassAt(passAt))
  return {
    counts,
    quarantined: quarantineFigures(apart, counts),
    passCount: counts.passes,
    failCount: counts.fails,
    passRate: passRateOf(counts),
    passRateOfAll: counts.planned === 0 ? null : counts.passes / counts.planned,
    ...figures,
    scores: scoreSummaries(items, repeated, (item) => item.scores),
    efficiency: scoreSummaries(items, repeated, (item) => item.efficiency),
    usage: sumUsage(ran.map((item) => item.usage)),
    judgeUsage: sumUsage(ran.map((item) => item.judgeUsage)),
    costUsd: totalCost(ran.map((item) => item.costUsd)) ?? null,
    judgeCostUsd: totalCost(ran.map((item) => item.judgeCostUsd)) ?? null,
    ...userFigures(items),
    unpricedTrials: ran.reduce((count, { costUsd }) => (costUsd === null ? count + 1 : count), 0),
    agentMs: agentTimes(items),
    byBucket: bucketsOf(items),
  }
}

/**
 * A run with its summary. The summary is computed when one of its figures is first read, and its figures are own, enumerable
 * properties, so that copies and JSON contain them.
 *
 * @throws `statistic-invalid` at that moment when a score is not a finite number
 *
 * @example
 * import { resultOf } from '@jurist/experiment/result'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * const { passRate } = resultOf({ ...aResult(), planned: 12 })
 */
export function resultOf(run: RunRecord): ExperimentResult {
  return withSummary(run, run.items)
}

/** An overview of a run with its summary. */
export function overviewOf(run: Omit<RunOverview, keyof Summary>): RunOverview {
  return withSummary(run, run.trials)
}

function withSummary<Run extends SummarizedHead>(run: Run, items: readonly SummarizedTrial[]): Run & Summary {
  let summary: Summary | undefined
  const figure = (name: keyof Summary): PropertyDescriptor => ({
    enumerable: true,
    configurable: true,
    get: () => {
      summary ??= runSummary(run, items)
      return summary[name]
    },
  })
  const figures = Object.fromEntries(summaryNames.map((name) => [name, figure(name)]))
  return Object.defineProperties({ ...run }, figures) as Run & Summary
}

/** The facts that the summary of a run needs in addition to its trials. */
export type SummarizedHead = Pick<
  RunRecord,
  'planned' | 'shard' | 'decided' | 'sequential' | 'quarantine' | 'dataset' | 'configuration'
>

function runSummary(run: SummarizedHead, items: readonly SummarizedTrial[]): Summary {
  const { counted, quarantined } = splitTrials(run, items)
  return stoppedSummary(
    run,
    summarize({ items: counted, apart: quarantined, planned: countedPlan(run, items) }),
    counted,
  )
}

/** How many trials a run performs that are not in quarantine. */
export function countedPlan(run: SummarizedHead, items: readonly TrialName[]): number {
  const planned = trialsToRun(run, items.length)
  if (run.quarantine === undefined) return planned
  const { quarantined } = splitTrials(run, items)
  // The trials of a shard are known when they have run.
  if (run.shard !== undefined || run.decided !== undefined) return planned - quarantined.length
  return [...quarantinedItems(run)].reduce((left, id) => left - plannedRepetitions(run, id), planned)
}

function quarantineFigures(trials: readonly SummarizedTrial[], counts: Counts): QuarantineFigures | null {
  if (trials.length === 0) return null
  const { passes, decided } = countsOf(trials, trials.length)
  const all = counts.decided + decided
  return {
    items: new Set(trials.map(({ itemId }) => itemId)).size,
    trials: trials.length,
    passes,
    decided,
    passRateWithThem: all === 0 ? null : (counts.passes + passes) / all,
  }
}

/** The repetitions of an item of a stored run; without an id, those of items that do not set their own. */
export function plannedRepetitions(
  { planned, dataset, configuration }: Pick<RunRecord, 'planned' | 'dataset' | 'configuration'>,
  itemId?: string,
): number {
  const { repetitions, itemRepetitions } = configuration
  const own = isPlainObject(itemRepetitions) && itemId !== undefined ? itemRepetitions[itemId] : undefined
  const known = own ?? repetitions
  if (typeof known === 'number') return known
  return dataset.selectedItemCount === 0 ? 0 : planned / dataset.selectedItemCount
}

/** The summary of a run that stopped when it was decided has an interval that is valid although someone looked at each item. */
function stoppedSummary(
  { decided, sequential }: Pick<RunRecord, 'decided' | 'sequential'>,
  summary: Summary,
  items: readonly SummarizedTrial[],
): Summary {
  if (decided === undefined || sequential === undefined) return summary
  const rates = [...groupBy(items.filter(isDecided), ({ itemId }) => itemId).values()].map(
    (trials) => trials.filter(({ passed }) => passed).length / trials.length,
  )
  const method = 'sequential'
  return { ...summary, passRateInterval: rates.length === 0 ? null : { ...likeInterval(rates), level: 0.95, method } }
}

function isDecided({ passed }: SummarizedTrial): boolean {
  return passed !== null
}

/** How many trials a run performs: all that are planned, those of its shard, or the `run` ones before it was decided. */
export function trialsToRun(
  { planned, shard, decided }: Pick<RunRecord, 'planned' | 'shard' | 'decided'>,
  run: number,
): number {
  return decided === undefined ? (shard?.trials ?? planned) : run
}

const summaryNames = Object.keys(summarize({ items: [], planned: 0 })) as readonly (keyof Summary)[]

function checkedPassAt(passAt: readonly number[]): readonly number[] {
  const bad = passAt.find((k) => !Number.isSafeInteger(k) || k < 1)
  if (bad !== undefined) statisticInvalid('summarize', `passAt must have whole numbers of at least 1, not ${bad}`)
  return passAt
}

function agentTimes(items: readonly SummarizedTrial[]): Summary['agentMs'] {
  const times = Float64Array.from(items.filter(agentRan), ({ agentMs }) => agentMs).sort()
  if (times.length === 0) return null
  const total = times.reduce((sum, time) => sum + time, 0)
  return { total, mean: total / times.length, median: quantile(times, 0.5), p95: quantile(times, 0.95) }
}

/** Agents that were not called, and recordings without a time, have no duration. */
function agentRan({ agent, agentMs }: SummarizedTrial): boolean {
  return agent !== 'setup-error' && agentMs > 0
}

function bucketsOf(items: readonly SummarizedTrial[]): Summary['byBucket'] {
  return Object.fromEntries(
    [...groupBy(items, ({ bucket }) => bucket)].map(([bucket, members]) => {
      const counts = countsOf(members, members.length)
      return [bucket, { counts, passRate: passRateOf(counts) }]
    }),
  )
}

/** Counts how trials ended. More trials than were planned count as planned. */
export function countsOf(items: readonly SummarizedTrial[], planned: number): Counts {
  const agent: Record<AgentOutcome, number> = { completed: 0, timeout: 0, error: 0, 'setup-error': 0, cancelled: 0 }
  const judged: Record<JudgedOutcome, number> = { pass: 0, fail: 0, abstain: 0, error: 0, 'not-judged': 0 }
  let [passes, fails, infrastructureFailures] = [0, 0, 0]
  for (const item of items) {
    agent[item.agent] += 1
    judged[item.judged] += 1
    if (item.passed === true) passes += 1
    if (item.passed === false) fails += 1
    if (item.failure?.infrastructure === true) infrastructureFailures += 1
  }
  const run = items.length
  const decided = passes + fails
  return {
    planned: Math.max(planned, run),
    run,
    notRun: Math.max(planned - run, 0),
    passes,
    fails,
    undecided: run - decided,
    decided,
    agent,
    judged,
    infrastructureFailures,
  }
}

/** Passes of the decided trials; `null` when nothing was decided. */
export function passRateOf({ passes, decided }: Counts): number | null {
  return decided === 0 ? null : passes / decided
}

/** The summary within a result, without the record. */
export function summaryOf(result: RunResult): Summary {
  return Object.fromEntries(summaryNames.map((name) => [name, result[name]])) as unknown as Summary
}
