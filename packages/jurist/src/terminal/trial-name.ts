import { triedOf } from '@jurist/experiment/internal/results'
import type { Trial } from '@jurist/experiment/result'
import { safeLine } from '@jurist/kit/terminal'

/** The item and the repetition of a trial; where each repetition tries something else, also what it tried. */
export function trialName(trial: Trial): string {
  const tried = triedOf(trial)
  return `${safeLine(trial.itemId)} #${trial.repetition}${tried === undefined ? '' : ` ${safeLine(tried)}`}`
}
