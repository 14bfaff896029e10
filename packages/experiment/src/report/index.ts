/**
 * Results as text: for terminals, files, pull requests and tables. All reports are pure: a value in, a text out, and
 * whatever an item, a model or a file said is escaped for the place where it lands.
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

export { calibrationReport } from './calibration-report.js'
export { exportRows, toCsv, toJsonl } from './export.js'
export { reportFormats, reportText } from './formats.js'
export { githubAnnotations, githubSummary } from './github-report.js'
export { jsonReport } from './json-report.js'
export { junitReport } from './junit-report.js'
export { markdownReport } from './markdown-report.js'
export { comparisonReport, judgesReport } from './section-reports.js'
