/**
 * Test coverage of an agent's work: judges that compare it with a baseline or a threshold, and readers of the reports
 * of JaCoCo, Istanbul, LCOV, Cobertura and Clover.
 *
 * @example
 * import { consensus, jury } from '@jurist/core'
 * import { coverageAtLeast, coveragePreserved } from '@jurist/workspace/coverage'
 *
 * jury({ judges: { kept: coveragePreserved(), enough: coverageAtLeast(80) }, vote: consensus() })
 */
import '../errors.js'

export * from './coverage-judges.js'
export type { CoverageOptions } from './coverage-options.js'
export type { Counter, CoverageReport } from './coverage-report.js'
export { findCoverage } from './find-coverage.js'
export { readCoverage } from './read-coverage.js'
