import { type Counter, sumOf } from './counter.js'

/** The counters of a coverage report, or of several together. `null`: the report does not count such things. */
export interface CoverageReport {
  readonly format: 'jacoco' | 'istanbul' | 'lcov' | 'cobertura'
  readonly line: Counter
  readonly branch: Counter | null
  readonly method: Counter | null
}

/** Takes a report piece by piece, and answers when it has all. */
export interface ReportReader {
  write(text: string): void
  end(): CoverageReport | Promise<CoverageReport>
}

/** The reports of the modules of one project as one; the format is that of the first. */
export function combined(reports: readonly [CoverageReport, ...CoverageReport[]]): CoverageReport {
  const [first] = reports
  if (reports.length === 1) return first
  const sum = (metric: 'branch' | 'method') => {
    const counters = reports.map((report) => report[metric]).filter((counter) => counter !== null)
    return counters.length === 0 ? null : sumOf(metric, counters)
  }
  const line = sumOf(
    'line',
    reports.map((report) => report.line),
  )
  return Object.freeze({ format: first.format, line, branch: sum('branch'), method: sum('method') })
}
