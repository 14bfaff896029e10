/**
 * Reports of runs as text: Markdown, JUnit, JSON, CSV, and what GitHub shows of a job.
 *
 * @example
 * import { junitReport } from 'jurist/report'
 *
 * const xml = junitReport(result)
 */
export * from '@jurist/experiment/report'
