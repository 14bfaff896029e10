import { printed } from '@jurist/core/internal'
import { corrupt } from './report-fault.js'

/** A value of a report that must be a whole number of at least 0. */
export function wholeNumber(value: unknown, what: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  return corrupt(value === undefined ? `${what} is missing` : `${what} is ${printed(value)}, not a whole number`)
}
