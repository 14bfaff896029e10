import { escaped, quoted, shortened } from '../quotation.js'

/** The counters of a coverage report, or of several together. `null`: the report does not count such things. */
export interface CoverageReport {
  readonly format: 'jacoco' | 'istanbul' | 'lcov' | 'cobertura' | 'clover'
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

/** How many of something were reached. `null`: the report does not say; `percent` is also `null` when the total is 0. */
export interface Counter {
  readonly covered: number | null
  readonly total: number | null
  /** From 0 to 100. */
  readonly percent: number | null
}

/** What is counted. */
export type Metric = 'line' | 'branch' | 'method'

/** The counter of a report that says nothing. */
export const notCounted: Counter = Object.freeze({ covered: null, total: null, percent: null })

/** A counter of two whole numbers; refuses more covered than there are. */
export function counterOf(metric: Metric, covered: number, total: number): Counter {
  if (!Number.isSafeInteger(total)) corrupt(`its ${metric} counter is too large`)
  if (covered > total) corrupt(`its ${metric} counter has ${covered} covered of ${total}`)
  return Object.freeze({ covered, total, percent: total === 0 ? null : (covered * 100) / total })
}

/** A counter with only its share known, from 0 to 1. `NaN` is the share of nothing. */
export function rateOnly(metric: Metric, text: string): Counter {
  if (/^-?nan$/i.test(text)) return notCounted
  const rate = Number(text)
  const isRate = /^\d*\.?\d+(?:e-?\d{1,3})?$/i.test(text.slice(0, 64)) && text.length <= 64 && rate <= 1
  if (!isRate) corrupt(`its ${metric} rate is ${quoted(text)}, not a number from 0 to 1`)
  return Object.freeze({ covered: null, total: null, percent: rate * 100 })
}

/** The whole number of at least 0 that a text is; Swift writes `1.0`. */
export function countIn(text: string | undefined, what: string): number {
  const count = Number(text)
  if (text === undefined) corrupt(`${what} is missing`)
  if (!/^\d+(?:\.0+)?$/.test(text) || !Number.isSafeInteger(count))
    corrupt(`${what} is ${quoted(text)}, not a whole number`)
  return count
}

/** The most that a counter of 64 bits holds. LLVM writes numbers near it for code that ran. */
export const maxHits: number = 2 ** 64

/** Whether code ran, by the text of how often it did. */
export function wasHit(text: string | undefined, what: string): boolean {
  if (text === undefined || !/^\d{1,20}$/.test(text) || Number(text) > maxHits) return countIn(text, what) > 0
  return Number(text) > 0
}

/**
 * The counter of several reports together: those without one count nothing. Shares alone cannot be added up; then only
 * one report with a counter has a sum.
 */
function sumOf(metric: Metric, counters: readonly Counter[]): Counter {
  const counted = counters.filter(({ total, percent }) => total !== null || percent !== null)
  const [first = notCounted] = counted
  if (counted.length < 2) return first
  let covered = 0
  let total = 0
  for (const one of counted) {
    if (one.covered === null || one.total === null) return notCounted
    covered += one.covered
    total += one.total
  }
  return counterOf(metric, covered, total)
}

/** Why a report cannot be used, before it is known which file it is. */
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

/** Refuses a format that is not known. */
export function unsupported(reason: string): never {
  throw new ReportFault('report-unsupported', reason)
}
