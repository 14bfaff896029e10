import { flatten, normalize, type Verdict } from '@jurist/core'

/**
 * The scores of a verdict in [0, 1], by the place of the judge: `judge`, `tier/judge`, `seat/inner`. A seat that is a
 * jury has a score of its own; the whole has none. Judgments without a number have no key.
 *
 * @example
 * scoresOf(verdict) // { readme: 1, 'style/naming': 0.75 }
 */
export function scoresOf(verdict: Verdict): Readonly<Record<string, number>> {
  const [, ...rows] = flatten(verdict)
  const scores: Record<string, number> = {}
  for (const { path, judgment } of rows) {
    const score = 'score' in judgment ? normalize(judgment.score) : undefined
    if (score !== undefined) scores[path.slice(1)] = score
  }
  return scores
}
