import { abstain, type Check, fail, type Judge, type JudgmentContext, JuristError, numerical, pass } from '@jurist/core'
import { checkOptions, option, printed } from '@jurist/core/internal'
import { type CoverageOptions, currentRules, percentRule } from './coverage-options.js'
import { currentCoverage, locationOf, shown } from './current-coverage.js'
import { measuredAfter } from './measured-after.js'
import { tolerance } from './tolerance.js'

/**
 * Passes when coverage is at least `percent`. The score is the coverage, from 0 to 100. Fails without a report,
 * and with one that counts nothing of that kind.
 * Check: `coverage_at_least`. Metadata: `metric`, `requiredCoverage`, `currentCoverage`.
 *
 * @param percent from 0 to 100
 * @param options `metric`: `'line'` (default), `'branch'` or `'method'`; the others as in `CoverageOptions`
 * @throws `option-invalid` for a bad option, and for a `percent` that is left out or out of range
 *
 * @example
 * coverageAtLeast(80, { metric: 'branch', after: buildSucceeds.npm('coverage') })
 */
export function coverageAtLeast(
  percent: number,
  options?: Omit<CoverageOptions, 'baseline'> & { readonly metric?: 'line' | 'branch' | 'method' },
): Judge {
  requirePercent(percent)
  const { metric = 'line', ...given } = checkOptions('coverageAtLeast', options, {
    ...currentRules,
    metric: option.oneOf('line', 'branch', 'method'),
  })
  const judge: Judge = async function coverageAtLeast(context: JudgmentContext) {
    const check = (passed: boolean, message: string, paths: readonly string[]): Check => ({
      name: 'coverage_at_least',
      passed,
      message,
      ...locationOf(paths),
    })
    const known = { metric, requiredCoverage: percent }
    const current = await currentCoverage(context, metric, given)
    switch (current.kind) {
      case 'unknown':
        return abstain(current.reason, { metadata: known })
      case 'unfit': {
        const score = numerical(0, { max: 100 })
        const checks = [check(false, current.reason, current.paths)]
        return fail(current.reason, { score, checks, metadata: known })
      }
      case 'measured': {
        const isEnough = current.percent >= percent - tolerance
        const message = `${metric} coverage is ${shown(current.percent)}; at least ${shown(percent)} is asked for`
        const score = numerical(current.percent, { max: 100 })
        const checks = [check(isEnough, message, current.paths)]
        const extras = { score, checks, metadata: { ...known, currentCoverage: current.percent } }
        return isEnough ? pass(message, extras) : fail(message, extras)
      }
      default:
        return current satisfies never
    }
  }
  return measuredAfter(judge, given)
}

function requirePercent(percent: unknown): void {
  if (percentRule.holds(percent)) return
  const problem = `"percent" must be ${percentRule.wants}, not ${printed(percent)}`
  throw new JuristError('option-invalid', `coverageAtLeast: ${problem}.`, { option: 'percent' })
}
