/**
 * Test coverage of what an agent left: judges that compare it with a baseline or a bar, and readers of the reports of
 * JaCoCo, Istanbul, LCOV and Cobertura.
 *
 * @example
 * import { consensus, jury } from '@jurist/core'
 * import { coverageAtLeast, coveragePreserved } from '@jurist/workspace/coverage'
 *
 * jury({ judges: { kept: coveragePreserved(), enough: coverageAtLeast(80) }, vote: consensus() })
 */
import '../errors.js'

export type { Counter } from './counter.js'
export { coverageAtLeast } from './coverage-at-least.js'
export { coverageImproved } from './coverage-improved.js'
export type { CoverageOptions } from './coverage-options.js'
export { coveragePreserved } from './coverage-preserved.js'
export type { CoverageReport } from './coverage-report.js'
export { findCoverage } from './find-coverage.js'
export { readCoverage } from './read-coverage.js'
