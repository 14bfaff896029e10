import { blamed, type JudgmentContext, JuristError, type Workspace } from '@jurist/core'
import type { CoverageOptions } from './coverage-options.js'
import { type Counter, type CoverageReport, combined, type Metric, notCounted } from './coverage-report.js'
import { reportsIn } from './find-coverage.js'
import { chunksOf, readReport, writtenAtMs } from './read-coverage.js'

export type CurrentCoverage =
  | Extract<Measured, { readonly kind: 'measured' }>
  /** The context does not contain the start of the agent, so the age of a report is unknown. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** The agent left no report of its work, or one that counts nothing. */
  | { readonly kind: 'unfit'; readonly reason: string; readonly paths: readonly string[] }

/** File systems use a clock that ticks every few milliseconds. */
const clockTickMs = 10

/** Measures coverage after the agent, and checks the age of the report. */
export async function currentCoverage(
  context: JudgmentContext,
  metric: Metric,
  options: Pick<CoverageOptions, 'report' | 'notBefore'>,
): Promise<CurrentCoverage> {
  try {
    return await coverageOf(context, metric, options)
  } catch (thrown) {
    const isGarbled = JuristError.is(thrown, 'report-corrupt') || JuristError.is(thrown, 'report-unsupported')
    throw isGarbled && !hasAgent(context) ? thrown : blamed(context.workspace, thrown)
  }
}

/**
 * Whether an agent worked in the workspace, so that it caused an invalid report. Without an agent, as when a directory
 * is judged by itself, an invalid report is an ERROR, and one that counts nothing decides nothing.
 */
function hasAgent({ status }: JudgmentContext): boolean {
  return status !== 'unknown'
}

async function coverageOf(
  context: JudgmentContext,
  metric: Metric,
  { report, notBefore }: Pick<CoverageOptions, 'report' | 'notBefore'>,
): Promise<CurrentCoverage> {
  const { workspace, signal, startedAt } = context
  const paths = await reportsIn(workspace, report, signal)
  if (notBefore === 'agent-start' && paths.length > 0) {
    if (startedAt === undefined) return { kind: 'unknown', reason: 'the context does not say when the run started' }
    for (const path of paths) {
      const writtenAt = writtenAtMs(workspace, path)
      if (writtenAt === undefined)
        return { kind: 'unknown', reason: 'the workspace does not say when the report was written' }
      if (writtenAt + clockTickMs < Date.parse(startedAt))
        return { kind: 'unfit', reason: 'the report is older than the run', paths: [path] }
    }
  }
  const measured = await measureReports({ workspace, signal, metric, report }, paths)
  switch (measured.kind) {
    case 'measured':
      return measured
    case 'missing':
      return { kind: 'unfit', reason: 'no report was found', paths: [] }
    case 'uncounted':
      return hasAgent(context)
        ? { kind: 'unfit', reason: measured.reason, paths }
        : { kind: 'unknown', reason: measured.reason }
    default:
      return measured satisfies never
  }
}

/** Returns the location of a check that has exactly one report. */
export function locationOf(paths: readonly string[]): { readonly location?: { readonly path: string } } {
  const [path] = paths
  return path === undefined || paths.length > 1 ? {} : { location: { path } }
}

/** Formats a percentage with at most two decimals. */
export function shown(percent: number): string {
  return `${Math.round(percent * 100) / 100} %`
}

interface Measurement {
  readonly workspace: Workspace
  readonly signal: AbortSignal
  readonly metric: Metric
  readonly report: string | readonly string[] | undefined
}

/** Coverage of one kind in the reports of a workspace. */
type Measured =
  | { readonly kind: 'measured'; readonly percent: number; readonly paths: readonly string[] }
  | { readonly kind: 'uncounted'; readonly reason: string }
  | { readonly kind: 'missing' }

/**
 * Finds the reports of a workspace and reads their counts.
 *
 * @throws `report-corrupt`, `report-unsupported`, `too-large`
 */
async function measure(measurement: Measurement): Promise<Measured> {
  const { workspace, report, signal } = measurement
  return measureReports(measurement, await reportsIn(workspace, report, signal))
}

/** Does the same with reports that are already found. */
async function measureReports(measurement: Measurement, paths: readonly string[]): Promise<Measured> {
  const { workspace, signal, metric } = measurement
  const reports: CoverageReport[] = []
  for (const path of paths) reports.push(await readReport({ path, chunks: chunksOf(workspace, path, signal) }))
  const [first, ...others] = reports
  if (first === undefined) return { kind: 'missing' }
  const counter = combined([first, ...others])[metric] ?? notCounted
  if (counter.percent !== null) return { kind: 'measured', percent: counter.percent, paths }
  return { kind: 'uncounted', reason: whyUncounted(metric, counter, reports) }
}

function whyUncounted(metric: Metric, { total }: Counter, reports: readonly CoverageReport[]): string {
  if (total === 0) return `the report counts 0 ${metric === 'branch' ? 'branches' : `${metric}s`}`
  const hasRate = reports.some((report) => (report[metric]?.percent ?? null) !== null)
  return hasRate ? 'the reports cannot be added up: one has only a rate' : `the report has no ${metric} counters`
}

/** The coverage before the agent, or the reason why it is unknown. */
export type Baseline =
  | { readonly kind: 'known'; readonly percent: number }
  | { readonly kind: 'unknown'; readonly reason: string }

/**
 * Returns the line coverage to compare with: from the option, otherwise from the metadata, otherwise from the initial
 * state. The first one that exists counts, even if it is not a percentage.
 */
export async function baselineOf(context: JudgmentContext, options: CoverageOptions): Promise<Baseline> {
  const given = options.baseline ?? context.metadata['baselineCoverage'] ?? undefined
  if (given !== undefined) {
    const percent = percentOf(given)
    if (percent !== undefined) return { kind: 'known', percent }
    return { kind: 'unknown', reason: 'the baseline is not a percentage from 0 to 100' }
  }
  if (context.before === undefined)
    return {
      kind: 'unknown',
      reason: 'there is no baseline to compare with: give the option "baseline", or the context "before"',
    }
  const { signal, before } = context
  const measured = await measure({ workspace: before, signal, metric: 'line', report: options.report })
  switch (measured.kind) {
    case 'measured':
      return { kind: 'known', percent: measured.percent }
    case 'missing':
      return { kind: 'unknown', reason: 'there is no baseline: no report was found in what the agent began with' }
    case 'uncounted':
      return { kind: 'unknown', reason: `there is no baseline: ${measured.reason}` }
    default:
      return measured satisfies never
  }
}

/** Reads a number, a numeric string, or the line coverage of a report. */
function percentOf(value: unknown): number | undefined {
  const percent = typeof value === 'object' ? linePercent(value) : typeof value === 'string' ? numberIn(value) : value
  return typeof percent === 'number' && percent >= 0 && percent <= 100 ? percent : undefined
}

function linePercent(report: object | null): unknown {
  return (report as { readonly line?: { readonly percent?: unknown } | null } | null)?.line?.percent
}

function numberIn(text: string): number | undefined {
  return /^\d{1,16}(?:\.\d{1,32})?$/.test(text.trim()) ? Number(text) : undefined
}
