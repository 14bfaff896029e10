import { freeze } from '../brand.js'
import { isObject, type JsonObject } from '../json.js'
import type { Judgment } from '../judgment.js'
import { assemble } from '../judgment-record.js'
import { option } from '../options.js'

/**
 * The lowest and the highest score that a decided judgment could have had, if the judges in error behind it had
 * decided. Kept at `metadata.errorBounds`; a numeric vote further out reads it, so that an error deep inside decides
 * nothing there either.
 */
export interface ErrorBounds {
  readonly low: number
  readonly high: number
}

/** Nothing is known of the score. */
export const anyScore: ErrorBounds = freeze({ low: 0, high: 1 })

/** The bounds of a decided judgment; `undefined` where its score depends on no error. */
export function errorBoundsOf({ status, metadata }: Judgment): ErrorBounds | undefined {
  const bounds = metadata.errorBounds
  if (bounds === undefined || (status !== 'pass' && status !== 'fail')) return undefined
  return isBounds(bounds) ? bounds : undefined
}

function isBounds(value: unknown): value is ErrorBounds & JsonObject {
  if (!isObject(value)) return false
  const { low, high } = value as Partial<ErrorBounds>
  return option.rate.holds(low) && option.rate.holds(high) && Number(low) <= Number(high)
}

/** The judgment with bounds; any it has are replaced. */
export function withErrorBounds(judgment: Judgment, { low, high }: ErrorBounds): Judgment {
  return assemble(judgment, {
    ...judgment,
    metadata: freeze({ ...judgment.metadata, errorBounds: freeze({ low, high }) }),
  })
}
