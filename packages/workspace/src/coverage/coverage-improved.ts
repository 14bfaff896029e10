import { abstain, type Check, fail, type Judge, type JudgmentContext, numerical, pass } from '@jurist/core'
import { checkOptions, option } from '@jurist/core/internal'
import { baselineOf } from './baseline.js'
import { type CoverageOptions, coverageRules, percentRule } from './coverage-options.js'
import { currentCoverage, locationOf, shown } from './current-coverage.js'
import { measuredAfter } from './measured-after.js'
import { tolerance } from './tolerance.js'

/**
 * Passes when line coverage rose, or stayed at 100 %, and is at least `floor`. The score is the gain as a share of
 * `ceiling`; the floor never changes it. Abstains without a baseline; fails without a report
 * that counts lines.
 * Checks: `coverage_improved`, with a floor `minimum_coverage_met`. Metadata: `baselineLineCoverage`,
 * `currentLineCoverage`, `improvement`, `ceiling`, `floor`.
 *
 * @param options `ceiling`: the points that are worth the whole score, default 50; `floor`: the least coverage that passes,
 * default 0; the others as in `CoverageOptions`
 *
 * @example
 * coverageImproved({ ceiling: 20, floor: 80 })
 */
export function coverageImproved(
  options?: CoverageOptions & { readonly ceiling?: number; readonly floor?: number },
): Judge {
  const {
    ceiling = 50,
    floor = 0,
    ...given
  } = checkOptions('coverageImproved', options, { ...coverageRules, ceiling: option.positive, floor: percentRule })
  const judge: Judge = async function coverageImproved(context: JudgmentContext) {
    const baseline = await baselineOf(context, given)
    if (baseline.kind === 'unknown') return abstain(baseline.reason)
    const known = { baselineLineCoverage: baseline.percent, ceiling, floor }
    const current = await currentCoverage(context, 'line', given)
    switch (current.kind) {
      case 'unknown':
        return abstain(current.reason, { metadata: known })
      case 'unfit': {
        const checks = checksOf(false, false, floor, current.reason, current.paths)
        return fail(current.reason, { score: 0, checks, metadata: known })
      }
      case 'measured': {
        const { improvement, score, hasImproved } = gain(baseline.percent, current.percent, ceiling)
        const meetsFloor = current.percent >= floor - tolerance
        const message = `line coverage went from ${shown(baseline.percent)} to ${shown(current.percent)}`
        const checks = checksOf(hasImproved, meetsFloor, floor, message, current.paths)
        const metadata = { ...known, currentLineCoverage: current.percent, improvement }
        const extras = { score: numerical(score), checks, metadata }
        return hasImproved && meetsFloor ? pass(message, extras) : fail(message, extras)
      }
      default:
        return current satisfies never
    }
  }
  return measuredAfter(judge, given)
}

/** What is full already cannot rise: keeping it is the best there is. */
function gain(baseline: number, current: number, ceiling: number) {
  const improvement = current - baseline
  if (Math.min(baseline, current) >= 100 - tolerance) return { improvement, score: 1, hasImproved: true }
  const score = Math.min(1, Math.max(0, improvement / ceiling))
  return { improvement, score, hasImproved: improvement > tolerance }
}

function checksOf(
  hasImproved: boolean,
  meetsFloor: boolean,
  floor: number,
  message: string,
  paths: readonly string[],
): readonly Check[] {
  const improved = { name: 'coverage_improved', passed: hasImproved, message, ...locationOf(paths) }
  if (floor === 0) return [improved]
  const required = `${message}; at least ${shown(floor)} is asked for`
  return [improved, { name: 'minimum_coverage_met', passed: meetsFloor, message: required, ...locationOf(paths) }]
}
