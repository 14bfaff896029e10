import { effectiveScore, type Judgment } from '@jurist/core'
import { saidBy } from '../exact-match.js'
import type { ReportSettings } from './report-settings.js'
import type { CalibratedTrial } from './scored-trial.js'

/**
 * What the candidate said of an item, as its scorer reads it: a number on 0 to 1 or a word. It takes no label, so that
 * what compares judgments with each other, or with annotators, needs none. `null`: it decided nothing.
 */
export function predictionOf(
  { scored, detail }: CalibratedTrial,
  settings: Pick<ReportSettings, 'numeric' | 'byCategory' | 'aliases'>,
): string | null {
  return scored === null ? unscoredPrediction(detail.judgment, settings) : scored.predicted
}

/** What a judgment says that no scorer scored, as there was no label for it. */
export function unscoredPrediction(
  judgment: Judgment,
  { numeric, byCategory, aliases }: Pick<ReportSettings, 'numeric' | 'byCategory' | 'aliases'>,
): string | null {
  if (judgment.status !== 'pass' && judgment.status !== 'fail') return null
  if (numeric !== null) return numberText(effectiveScore(judgment))
  if (!byCategory) return judgment.status
  const word = saidBy(judgment).trim().toLowerCase()
  return Object.hasOwn(aliases, word) ? (aliases[word] ?? word) : word
}

function numberText(value: number | undefined): string | null {
  return value === undefined ? null : String(value)
}
