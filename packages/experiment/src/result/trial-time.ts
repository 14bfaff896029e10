import type { ItemResult } from './records.js'

type Timed = Pick<ItemResult, 'durationMs'>

/** How long a trial took; `null`: nothing is known, as of a recording that says no time. */
export function takenMs({ durationMs }: Timed): number | null {
  return durationMs === 0 ? null : durationMs
}

/** How long trials took one after the other; `null` where that of none is known. */
export function takenTogether(trials: readonly Timed[]): number | null {
  return trials.reduce((sum, { durationMs }) => sum + durationMs, 0) || null
}
