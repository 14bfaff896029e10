import { escaped, quoted, shortened } from '../quotation.js'

/** The counters of one or several coverage reports. A counter is `null` if the report does not count such things. */
export interface CoverageReport {
  readonly format: 'jacoco' | 'istanbul' | 'lcov' | 'cobertura' | 'clover'
  readonly line: Counter
  readonly branch: Counter | null
  readonly method: Counter | null
}

export interface ReportReader {
  write(text: string): void
  end(): CoverageReport | Promise<CoverageReport>
}

/** Merges the reports of the modules of one project. The format is that of the first. */
export function combined(reports: readonly [CoverageReport, ...CoverageReport[]]): CoverageReport {
  const [first] = reports
  if (reports.length === 1) return first
  return reportOf(first.format, (metric) => {
    const counters = reports.map((report) => report[metric]).filter((counter) => counter !== null)
    return counters.length === 0 ? null : sumOf(metric, counters)
  })
}

/**
 * How many of something were covered. `null` if the report does not contain the number; `percent` is also `null` when
 * the total is 0.
 */
export interface Counter {
  readonly covered: number | null
  readonly total: number | null
  /** From 0 to 100. */
  readonly percent: number | null
}

export type Metric = 'line' | 'branch' | 'method'

/** The counter of a report that contains no such numbers. */
export const notCounted: Counter = Object.freeze({ covered: null, total: null, percent: null })

/** Creates a counter from two integers. Refuses more covered than there are. */
export function counterOf(metric: Metric, covered: number, total: number): Counter {
  if (!Number.isSafeInteger(total)) corrupt(`its ${metric} counter is too large`)
  if (covered > total) corrupt(`its ${metric} counter has ${covered} covered of ${total}`)
  return Object.freeze({ covered, total, percent: total === 0 ? null : (covered * 100) / total })
}

/** Creates a counter from a share alone, from 0 to 1. `NaN` is the share of nothing. */
export function rateOnly(metric: Metric, text: string): Counter {
  if (/^-?nan$/i.test(text)) return notCounted
  const rate = Number(text)
  const isRate = /^\d*\.?\d+(?:e-?\d{1,3})?$/i.test(text.slice(0, 64)) && text.length <= 64 && rate <= 1
  if (!isRate) corrupt(`its ${metric} rate is ${quoted(text)}, not a number from 0 to 1`)
  return Object.freeze({ covered: null, total: null, percent: rate * 100 })
}

/** Parses an integer of at least 0. Swift writes `1.0`. */
export function countIn(text: string | undefined, what: string): number {
  const count = Number(text)
  if (text === undefined) corrupt(`${what} is missing`)
  if (!/^\d+(?:\.0+)?$/.test(text) || !Number.isSafeInteger(count))
    corrupt(`${what} is ${quoted(text)}, not a whole number`)
  return count
}

/** Adds up what was covered, for each metric that a report counts. */
export function tally() {
  const sums = new Map<Metric, { readonly covered: number; readonly total: number }>()
  return {
    add(metric: Metric, covered: number, total: number): void {
      const sum = sums.get(metric) ?? { covered: 0, total: 0 }
      sums.set(metric, { covered: sum.covered + covered, total: sum.total + total })
    },
    /** `null` if nothing was added. */
    counter(metric: Metric): Counter | null {
      const sum = sums.get(metric)
      return sum === undefined ? null : counterOf(metric, sum.covered, sum.total)
    },
  }
}

export function reportOf(
  format: CoverageReport['format'],
  counter: (metric: Metric) => Counter | null,
): CoverageReport {
  const [line, branch, method] = [counter('line') ?? notCounted, counter('branch'), counter('method')]
  return Object.freeze({ format, line, branch, method })
}

/** The largest value of a 64-bit counter. LLVM writes numbers near it for code that ran. */
export const maxHits: number = 2 ** 64

/** Whether code ran, according to its count as a string. */
export function wasHit(text: string | undefined, what: string): boolean {
  if (text === undefined || !/^\d{1,20}$/.test(text) || Number(text) > maxHits) return countIn(text, what) > 0
  return Number(text) > 0
}

/**
 * Adds up the counters of several reports; those without a counter add nothing. Shares alone cannot be added, so a sum
 * exists only if a single report has a counter.
 */
function sumOf(metric: Metric, counters: readonly Counter[]): Counter {
  const counted = counters.filter(({ total, percent }) => total !== null || percent !== null)
  const [first = notCounted] = counted
  if (counted.length < 2) return first
  const sum = tally()
  for (const { covered, total } of counted) {
    if (covered === null || total === null) return notCounted
    sum.add(metric, covered, total)
  }
  return sum.counter(metric) ?? notCounted
}

/** The reason why a report cannot be used, before the name of the file is known. */
export class ReportFault extends Error {
  override readonly name = 'ReportFault' as const
  readonly code: 'report-corrupt' | 'report-unsupported'

  constructor(code: ReportFault['code'], reason: string) {
    super(shortened(escaped(reason.replace(/\.+$/, ''))))
    this.code = code
  }
}

/** Refuses a report that cannot be believed. */
export function corrupt(reason: string): never {
  throw new ReportFault('report-corrupt', reason)
}

/** Refuses an unknown format. */
export function unsupported(reason: string): never {
  throw new ReportFault('report-unsupported', reason)
}
