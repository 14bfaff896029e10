import { abstain, type Check, fail, type Judge, type JudgmentContext, pass } from '@jurist/core'
import { checkOptions, option } from '@jurist/core/internal'
import { baselineOf } from './baseline.js'
import { type CoverageOptions, coverageRules } from './coverage-options.js'
import { currentCoverage, locationOf, shown } from './current-coverage.js'
import { measuredAfter } from './measured-after.js'
import { tolerance } from './tolerance.js'

/**
 * Passes when line coverage dropped by at most `maxDrop` points. Abstains without a baseline; fails without a
 * report that counts lines.
 * Check: `line_coverage_preserved`. Metadata: `baselineLineCoverage`, `currentLineCoverage`, `coverageDrop`, `maxDrop`.
 *
 * @param options `maxDrop`: in points of a hundred, default 5; the others as in `CoverageOptions`
 *
 * @example
 * coveragePreserved({ maxDrop: 2, notBefore: 'agent-start' })
 */
export function coveragePreserved(options?: CoverageOptions & { readonly maxDrop?: number }): Judge {
  const { maxDrop = 5, ...given } = checkOptions('coveragePreserved', options, {
    ...coverageRules,
    maxDrop: option.nonNegative,
  })
  const judge: Judge = async function coveragePreserved(context: JudgmentContext) {
    const baseline = await baselineOf(context, given)
    if (baseline.kind === 'unknown') return abstain(baseline.reason)
    const check = (passed: boolean, message: string, paths: readonly string[]): Check => ({
      name: 'line_coverage_preserved',
      passed,
      message,
      ...locationOf(paths),
    })
    const known = { baselineLineCoverage: baseline.percent, maxDrop }
    const current = await currentCoverage(context, 'line', given)
    switch (current.kind) {
      case 'unknown':
        return abstain(current.reason, { metadata: known })
      case 'unfit': {
        const checks = [check(false, current.reason, current.paths)]
        return fail(current.reason, { checks, metadata: known })
      }
      case 'measured': {
        const drop = baseline.percent - current.percent
        const isPreserved = drop <= maxDrop + tolerance
        const message = `line coverage went from ${shown(baseline.percent)} to ${shown(current.percent)}`
        const checks = [check(isPreserved, `${message}; it may drop by ${maxDrop}`, current.paths)]
        const metadata = { ...known, currentLineCoverage: current.percent, coverageDrop: drop }
        return isPreserved ? pass(message, { checks, metadata }) : fail(message, { checks, metadata })
      }
      default:
        return current satisfies never
    }
  }
  return measuredAfter(judge, given)
}
