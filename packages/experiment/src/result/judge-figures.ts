import { flatten, type Judgment, type JudgmentStatus, normalize, type Verdict } from '@jurist/core'
import type { VerdictRow } from '@jurist/core/internal'
import { isPlainObject } from '@jurist/core/internal'
import type { ItemResult } from './records.js'
import { sumOf } from './statistics/confusion.js'
import { quantile } from './statistics/descriptive.js'
import { cohenKappa, type Kappa } from './statistics/kappa.js'

/** How often a judge gave each score: ten bins from 0 to 1, the last one with 1 in it. */
export interface ScoreDistribution {
  readonly n: number
  readonly mean: number
  readonly bins: readonly number[]
}

/** The figures of one judge in a run. */
export interface JudgeFigures {
  /** Its place in the jury, such as `rules/build`. */
  readonly path: string
  readonly counts: Readonly<Record<JudgmentStatus, number>>
  /** Judged trials in which it did not run, because an earlier tier decided. */
  readonly notReached: number
  /** Failed trials that it failed, and no other judge that ran. */
  readonly onlyFailed: number
  /** `null`: it gave no scores between 0 and 1. */
  readonly scores: ScoreDistribution | null
  /** The mean of all its scores, those of passes and fails included; `null`: it gave none. */
  readonly meanScore: number | null
  /** The threshold of the vote over its scores; `null`: the vote has none. */
  readonly threshold: number | null
  /** US dollars; `null`: no cost was declared. */
  readonly costUsd: number | null
  readonly medianMs: number | null
}

/** How often two judges agreed, over the trials that both passed or failed. */
export interface JudgePair {
  readonly first: string
  readonly second: string
  readonly n: number
  readonly agreed: number
  readonly kappa: Kappa
}

/** The figures of one tier of a cascade in a run, with its cost. */
export interface TierFigures {
  readonly name: string
  readonly reached: number
  /** Trials that this tier decided. */
  readonly decided: number
  /** Trials that it would have passed or failed, but was not sure enough of. */
  readonly withheld: number
  /** US dollars of the trials that reached it; `null`: no cost was declared. */
  readonly costUsd: number | null
  /** The mean cost of a trial that reached it times the trials that did not. An estimate: those might cost more or less. */
  readonly savedUsd: number | null
  readonly savedMs: number | null
}

/** The judges of a run, side by side. */
export interface JudgesSummary {
  /** Trials that have a verdict. */
  readonly judged: number
  readonly judges: readonly JudgeFigures[]
  /** Every pair of judges that both passed or failed at least one trial. */
  readonly pairs: readonly JudgePair[]
  /** `null`: the jury is not a cascade. */
  readonly tiers: readonly TierFigures[] | null
}

/** The figures of each judge of a run, how far the judges agree (Cohen's kappa), and the savings of a cascade. */
export function judgesSummary(items: readonly ItemResult[]): JudgesSummary {
  const judges = new Map<string, JudgeSums>()
  const tables = new Map<string, PairTable>()
  let judged = 0
  for (const { verdict, passed } of items) {
    if (verdict === null) continue
    judged += 1
    const rows = flatten(verdict)
    const leaves = rows.filter(({ kind }) => kind === 'judge')
    for (const row of leaves) addJudgment(judges, row, thresholdAbove(rows, row))
    const failing = leaves.filter(({ judgment }) => judgment.status === 'fail')
    if (passed === false && failing.length === 1) addOnlyFailed(judges, failing[0])
    addPairs(tables, leaves)
  }
  return {
    judged,
    judges: [...judges.values()].map((sums) => figuresOf(sums, judged)),
    pairs: [...tables.values()].map(pairOf),
    tiers: tierFigures(items.flatMap(({ verdict }) => verdict ?? [])),
  }
}

interface JudgeSums {
  readonly path: string
  readonly counts: Record<JudgmentStatus, number>
  readonly scores: number[]
  readonly costs: number[]
  readonly times: number[]
  threshold: number | null
  onlyFailed: number
}

function pathOf(row: VerdictRow | undefined): string {
  return row?.path.slice(1) ?? ''
}

function addJudgment(judges: Map<string, JudgeSums>, row: VerdictRow, threshold: number | null): void {
  const path = pathOf(row)
  const sums = judges.get(path) ?? {
    path,
    counts: { pass: 0, fail: 0, abstain: 0, error: 0 },
    scores: [],
    costs: [],
    times: [],
    threshold,
    onlyFailed: 0,
  }
  judges.set(path, sums)
  const { judgment } = row
  sums.counts[judgment.status] += 1
  sums.threshold ??= threshold
  const score = judgment.score === undefined ? undefined : normalize(judgment.score)
  if (score !== undefined) sums.scores.push(score)
  if (judgment.costUsd !== undefined) sums.costs.push(judgment.costUsd)
  if (judgment.elapsedMs !== undefined) sums.times.push(judgment.elapsedMs)
}

function addOnlyFailed(judges: Map<string, JudgeSums>, row: VerdictRow | undefined): void {
  const sums = judges.get(pathOf(row))
  if (sums !== undefined) sums.onlyFailed += 1
}

/** The threshold of the vote that counts a judgment. */
function thresholdAbove(rows: readonly VerdictRow[], { path }: VerdictRow): number | null {
  const above = path.slice(0, path.lastIndexOf('/'))
  const jury = rows.find((row) => row.path === above)
  return jury === undefined ? null : thresholdOf(jury.judgment)
}

function thresholdOf({ metadata: { aggregation } }: Judgment): number | null {
  const options = isPlainObject(aggregation) ? aggregation['options'] : undefined
  const threshold = isPlainObject(options) ? options['threshold'] : undefined
  return typeof threshold === 'number' ? threshold : null
}

function figuresOf(
  { path, counts, scores, costs, times, threshold, onlyFailed }: JudgeSums,
  judged: number,
): JudgeFigures {
  const isGraded = scores.some((score) => score > 0 && score < 1)
  return {
    path,
    counts,
    notReached: judged - counts.pass - counts.fail - counts.abstain - counts.error,
    onlyFailed,
    scores: isGraded ? distributionOf(scores) : null,
    meanScore: scores.length === 0 ? null : sumOf(scores) / scores.length,
    threshold,
    costUsd: sumOrNull(costs),
    medianMs:
      times.length === 0
        ? null
        : quantile(
            times.toSorted((a, b) => a - b),
            0.5,
          ),
  }
}

const bins = 10

function distributionOf(scores: readonly number[]): ScoreDistribution {
  const counts = new Array<number>(bins).fill(0)
  for (const score of scores) {
    const bin = Math.min(bins - 1, Math.floor(score * bins))
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  return { n: scores.length, mean: sumOf(scores) / scores.length, bins: counts }
}

/** Counts of two judges: passed by both, by the first, by the second, by neither. */
interface PairTable {
  readonly first: string
  readonly second: string
  readonly counts: [number, number, number, number]
}

function addPairs(tables: Map<string, PairTable>, leaves: readonly VerdictRow[]): void {
  const deciding = leaves.filter(({ judgment: { status } }) => status === 'pass' || status === 'fail')
  for (const [at, one] of deciding.entries())
    for (const other of deciding.slice(at + 1)) {
      const [first, second] = [pathOf(one), pathOf(other)]
      const key = `${first} ${second}`
      const table = tables.get(key) ?? { first, second, counts: [0, 0, 0, 0] }
      const cell = (one.judgment.status === 'pass' ? 0 : 2) + (other.judgment.status === 'pass' ? 0 : 1)
      table.counts[cell as 0] += 1
      tables.set(key, table)
    }
}

function pairOf({ first, second, counts: [both, onlyFirst, onlySecond, neither] }: PairTable): JudgePair {
  const kappa = cohenKappa([
    [both, onlyFirst],
    [onlySecond, neither],
  ])
  return {
    first,
    second,
    n: both + onlyFirst + onlySecond + neither,
    agreed: both + neither,
    // Of a judge that always says the same, kappa is 0 whatever the other one says.
    kappa: kappa.interval === null ? { ...kappa, value: null } : kappa,
  }
}

function tierFigures(verdicts: readonly Verdict[]): readonly TierFigures[] | null {
  const names = new Set(verdicts.flatMap(({ tiers = [] }) => tiers.map(({ name }) => name)))
  if (names.size === 0) return null
  return [...names].map((name) => {
    const outcomes = verdicts.flatMap(({ tiers = [] }) => tiers.filter((tier) => tier.name === name))
    const reached = outcomes.filter(({ outcome }) => outcome !== 'not-reached')
    const costs = reached.flatMap(({ costUsd }) => costUsd ?? [])
    const missed = outcomes.length - reached.length
    const mean = (values: readonly number[]) => (values.length === 0 ? null : (sumOf(values) / values.length) * missed)
    return {
      name,
      reached: reached.length,
      decided: reached.filter(({ outcome }) => outcome !== 'escalated').length,
      withheld: verdicts.filter(({ subVerdicts }) => subVerdicts[name]?.aggregated.metadata['withheld'] !== undefined)
        .length,
      costUsd: sumOrNull(costs),
      savedUsd: mean(costs),
      savedMs: mean(reached.map(({ elapsedMs }) => elapsedMs)),
    }
  })
}

function sumOrNull(values: readonly number[]): number | null {
  return values.length === 0 ? null : sumOf(values)
}
