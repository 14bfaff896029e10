import { quoted } from '../files/quotation.js'
import { corrupt } from './report-fault.js'

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

/** A counter of which only the share is known, from 0 to 1. */
export function rateOnly(metric: Metric, text: string): Counter {
  const rate = Number(text)
  const isRate = /^\d*\.?\d+(?:e-?\d{1,3})?$/i.test(text.slice(0, 64)) && text.length <= 64 && rate <= 1
  if (!isRate) corrupt(`its ${metric} rate is ${quoted(text)}, not a number from 0 to 1`)
  return Object.freeze({ covered: null, total: null, percent: rate * 100 })
}

/** The whole number of at least 0 that a text is. */
export function countIn(text: string | undefined, what: string): number {
  const count = Number(text)
  if (text === undefined) corrupt(`${what} is missing`)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count)) corrupt(`${what} is ${quoted(text)}, not a whole number`)
  return count
}

/**
 * The counter of several reports together: those without one count nothing. Shares alone cannot be added up; then only
 * one report with a counter has a sum.
 */
export function sumOf(metric: Metric, counters: readonly Counter[]): Counter {
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
