/**
 * Reports of runs as text: Markdown, JUnit, JSON, CSV, and the summary and annotations of a GitHub job.
 *
 * @example
 * import { junitReport } from 'jurist/report'
 *
 * const xml = junitReport(result)
 */
export * from '@jurist/experiment/report'
