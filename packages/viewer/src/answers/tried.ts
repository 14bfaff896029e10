import { triedOf } from '@jurist/experiment/internal/results'
import type { Trial } from '@jurist/experiment/result'

/** What a trial tried, where each repetition tries something else: a probe, a mutant. */
export interface Tried {
  readonly tried?: string
}

/** What trials tried, if all of them tried the same. */
export function triedIn(...[first, ...others]: readonly Trial[]): Tried {
  const tried = first && triedOf(first)
  return tried !== undefined && others.every((one) => triedOf(one) === tried) ? { tried } : {}
}
