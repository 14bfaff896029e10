import { blamed, type JudgmentContext, JuristError } from '@jurist/core'
import type { Metric } from './counter.js'
import type { CoverageOptions } from './coverage-options.js'
import { reportsIn } from './find-coverage.js'
import { type Measured, measureReports } from './measure.js'
import { writtenAtMs } from './report-file.js'

/** Coverage of what the agent left. */
export type CurrentCoverage =
  | Extract<Measured, { readonly kind: 'measured' }>
  /** The context does not tell how old a report is. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** The agent left no report of its work, or one that counts nothing. */
  | { readonly kind: 'unfit'; readonly reason: string; readonly paths: readonly string[] }

/** File systems stamp with a clock that ticks every few milliseconds. */
const clockTickMs = 10

/** Measures what the agent left, and whether the report is as new as is asked for. */
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
 * Whether an agent worked in what is judged, so that a report without sense is its doing. Without one, as when a directory
 * is judged by itself, such a report is an ERROR, and one that counts nothing decides nothing.
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

/** The one report of a check, as its location. */
export function locationOf(paths: readonly string[]): { readonly location?: { readonly path: string } } {
  const [path] = paths
  return path === undefined || paths.length > 1 ? {} : { location: { path } }
}

/** A percentage for readers: at most two decimals. */
export function shown(percent: number): string {
  return `${Math.round(percent * 100) / 100} %`
}
