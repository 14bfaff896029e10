/**
 * A report in one HTML file, which opens from disk without a network.
 *
 * @example
 * import { writeFile } from 'node:fs/promises'
 * import { fileStore } from '@jurist/experiment/store'
 * import { staticReport } from '@jurist/viewer/static'
 *
 * const latest = await fileStore('results').mostRecent('my-experiment')
 * if (latest !== undefined) await writeFile('report.html', await staticReport([latest]))
 */
export type { ReportExtra } from './report-parts.js'
export { type StaticReportOptions, staticReport } from './static-report.js'
