import {
  changesTogether,
  comparedTrials,
  isMeasurement,
  type MeanChange,
  type RunChange,
  runChange,
  type SetupChange,
  type VariantFigures,
  variantFigures,
} from '@jurist/experiment/internal/results'
import type { RunEntry } from '@jurist/experiment/store'
import { changesSince } from './against.js'
import type { RunReader } from './run-reader.js'

/** The runs of an experiment that a trend connects: those of one variant and one kind. */
export interface Series {
  readonly variant: string | null
  readonly kind: 'agent' | 'judge'
  readonly runs: number
}

export interface TrendPoint {
  readonly figures: VariantFigures
  readonly gitCommit: string | null
  /** The changes of the setup since the previous run. */
  readonly changes: readonly SetupChange[]
  /** The difference from the previous run; `null` for the first one, and if conditions prevent a comparison. */
  readonly change: RunChange | null
}

export type TrendMeasure = keyof RunChange

/** A run that differs from the previous one by more than chance explains. */
export interface Step {
  /** The index of the run in `points`. */
  readonly at: number
  readonly measure: TrendMeasure
  readonly change: MeanChange
}

/** The runs of one variant of an experiment, in chronological order. */
export interface ExperimentDocument {
  readonly experimentName: string
  /** The series with the newest last run comes first. */
  readonly series: readonly Series[]
  readonly current: Series
  /** Oldest first, without runs that are running, excluded or judged again. */
  readonly points: readonly TrendPoint[]
  /** The largest steps, oldest first. */
  readonly steps: readonly Step[]
  /** How many runs before the points are not shown. */
  readonly earlier: number
}

/** The number of runs in a trend. */
const mostPoints = 200

/**
 * Computes the trend of an experiment. `variant` and `kind` choose its runs. By default, they are those of the newest
 * run.
 */
export async function experimentDocument(
  experimentName: string,
  query: URLSearchParams,
  reader: RunReader,
): Promise<ExperimentDocument | undefined> {
  const entries = (await reader.entries()).filter((entry) => entry.experimentName === experimentName && isShown(entry))
  const series = seriesOf(entries)
  const current = chosenSeries(series, query)
  if (current === undefined) return undefined
  const fitting = entries.filter(({ variant, kind }) => variant === current.variant && kind === current.kind)
  const shown = fitting.slice(0, mostPoints).toReversed()
  const points = await pointsOf(shown, reader)
  const steps = largestSteps(points)
  return { experimentName, series, current, points, steps, earlier: fitting.length - shown.length }
}

function isShown({ kind, status, excluded }: RunEntry): boolean {
  return isMeasurement(kind) && status !== 'running' && excluded === null
}

function seriesOf(entries: readonly RunEntry[]): readonly Series[] {
  const series = new Map<string, Series>()
  for (const { variant, kind } of entries) {
    if (!isMeasurement(kind)) continue
    const key = JSON.stringify([variant, kind])
    series.set(key, { variant, kind, runs: (series.get(key)?.runs ?? 0) + 1 })
  }
  return [...series.values()]
}

function chosenSeries(series: readonly Series[], query: URLSearchParams): Series | undefined {
  const [variant, kind] = [query.get('variant'), query.get('kind')]
  const fitting = series.filter(
    (one) => (variant === null || (one.variant ?? '') === variant) && (kind === null || one.kind === kind),
  )
  return fitting[0] ?? series[0]
}

/** Each run is read once: it is still cached when the next one is compared with it. */
async function pointsOf(entries: readonly RunEntry[], reader: RunReader): Promise<readonly TrendPoint[]> {
  const points: TrendPoint[] = []
  let before: RunEntry | undefined
  for (const entry of entries) {
    const figures = await reader.derived(entry.id, 'figures', variantFigures)
    if (figures === undefined) continue
    const changes = before === undefined ? [] : await changesSince(before.id, entry.id, reader)
    const isComparable = before !== undefined && !changes.some(({ refuses }) => refuses)
    const change =
      before === undefined || !isComparable
        ? undefined
        : await reader.combined([before.id, entry.id], 'step', { part: comparedTrials, of: changeOfTwo })
    points.push({ figures, gitCommit: entry.gitCommit, changes, change: change ?? null })
    before = entry
  }
  const together = changesTogether(points.map(({ change }) => change))
  return points.map((point, index) => ({ ...point, change: together[index] ?? null }))
}

function changeOfTwo([before = [], after = []]: readonly ReturnType<typeof comparedTrials>[]): RunChange {
  return runChange(before, after)
}

/** A step is listed if chance does not explain it and it is large enough to matter. */
const alpha = 0.05
const smallest: Readonly<Record<TrendMeasure, number>> = { passRate: 0.05, costUsd: 0.2, durationMs: 0.2 }
const mostSteps = 4

/** The largest steps of each measure, in chronological order. */
function largestSteps(points: readonly TrendPoint[]): readonly Step[] {
  const measures = Object.keys(smallest) as TrendMeasure[]
  const steps = measures.flatMap((measure) => {
    const found = points.flatMap(({ change }, at) => {
      const one = change?.[measure] ?? null
      return one !== null && isStep(one, measure) ? [{ at, measure, change: one }] : []
    })
    return found.toSorted((a, b) => sizeOf(b.change, measure) - sizeOf(a.change, measure)).slice(0, mostSteps)
  })
  return steps.toSorted((one, other) => one.at - other.at)
}

function isStep(change: MeanChange, measure: TrendMeasure): boolean {
  return change.permutation.adjustedPValue <= alpha && sizeOf(change, measure) >= smallest[measure]
}

/** Points for a rate; for cost and time, the share by which the larger mean exceeds the smaller one. */
function sizeOf({ delta, baselineMean, candidateMean }: MeanChange, measure: TrendMeasure): number {
  if (measure === 'passRate') return Math.abs(delta)
  const [low, high] = [Math.min(baselineMean, candidateMean), Math.max(baselineMean, candidateMean)]
  return low <= 0 ? Number(high > 0) : high / low - 1
}
