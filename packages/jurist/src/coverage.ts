/**
 * Judges of test coverage, and readers of its reports.
 *
 * @example
 * import { coverageAtLeast, coveragePreserved } from 'jurist/coverage'
 *
 * const rules = jury({ judges: { kept: coveragePreserved(), enough: coverageAtLeast(80) }, vote: consensus() })
 */
export * from '@jurist/workspace/coverage'
