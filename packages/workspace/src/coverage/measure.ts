import type { Workspace } from '@jurist/core'
import { type Counter, type Metric, notCounted } from './counter.js'
import { type CoverageReport, combined } from './coverage-report.js'
import { reportsIn } from './find-coverage.js'
import { readReport } from './read-report.js'
import { chunksOf } from './report-file.js'

/** What is measured, and where. */
export interface Measurement {
  readonly workspace: Workspace
  readonly signal: AbortSignal
  readonly metric: Metric
  readonly report: string | readonly string[] | undefined
}

/** Coverage of one kind as the reports of a workspace have it. */
export type Measured =
  | { readonly kind: 'measured'; readonly percent: number; readonly paths: readonly string[] }
  | { readonly kind: 'uncounted'; readonly reason: string }
  | { readonly kind: 'missing' }

/**
 * Finds the reports of a workspace and reads what they count.
 *
 * @throws `report-corrupt`, `report-unsupported`, `too-large`
 */
export async function measure(measurement: Measurement): Promise<Measured> {
  const { workspace, report, signal } = measurement
  return measureReports(measurement, await reportsIn(workspace, report, signal))
}

/** The same for reports that are found already. */
export async function measureReports(measurement: Measurement, paths: readonly string[]): Promise<Measured> {
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
