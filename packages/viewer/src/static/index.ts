/**
 * A report that is one file: it opens from disk, without a network.
 *
 * @example
 * import { writeFile } from 'node:fs/promises'
 * import { staticReport } from '@jurist/viewer/static'
 *
 * await writeFile('report.html', await staticReport([result]))
 */
export { staticReport } from './static-report.js'
