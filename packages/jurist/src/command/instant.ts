import { usageInvalid } from '../config/problems.js'
import type { Parse } from './flags.js'

/** Milliseconds since 1970 of a date or an instant in ISO 8601. */
export const instant: Parse<number> = (given, name) => {
  const time = /^\d{4}-\d{2}-\d{2}/.test(given) ? Date.parse(given) : Number.NaN
  if (!Number.isNaN(time)) return time
  throw usageInvalid(name, `${name} must be an instant, such as 2026-11-21 or 2026-11-21T09:00Z (got "${given}").`)
}
