/**
 * Reports for terminals, files, pull requests and tables. All reports are pure: they convert a value to a string, and
 * escape everything from items, models and files for its place.
 *
 * @example
 * import { writeFile } from 'node:fs/promises'
 * import { junitReport, markdownReport } from '@jurist/experiment/report'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * console.log(markdownReport([aResult()]))
 * await writeFile('junit.xml', junitReport(aResult()))
 */
import '../errors.js'

export type { KeptFinding, KeptScan, KeptScans } from '../scan/finding-text.js'
export type { ScanLevel } from '../scan/rule.js'
export type { ScanCoverage, ScanFinding } from '../scan/scan.js'
export type { ScanPlace } from '../scan/site.js'
export { type CalibrationReportOptions, calibrationReport } from './calibration-report.js'
export type { ExportRow } from './export-rows.js'
export { type ExportTable, exportRows, toCsv, toJsonl } from './export-rows.js'
export {
  type ReportContent,
  type ReportFormat,
  type ReportFormatName,
  type Runs,
  reportFormats,
  reportText,
} from './formats.js'
export {
  type GithubAnnotationsOptions,
  type GithubSummaryOptions,
  githubAnnotations,
  githubSummary,
} from './github-report.js'
export { jsonReport } from './json-report.js'
export { type JunitReportOptions, junitReport } from './junit-report.js'
export { type MarkdownReportOptions, markdownReport } from './markdown-report.js'
export type { ComparisonReportOptions } from './report-options.js'
export { comparisonReport, judgesReport } from './section-reports.js'
