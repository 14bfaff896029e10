import type { ReportReader } from './coverage-report.js'
import { finalCollector } from './istanbul-final.js'
import { summaryCollector } from './istanbul-summary.js'
import { readJsonValues } from './json-values.js'
import { unsupported } from './report-fault.js'

/**
 * Istanbul: `coverage-summary.json`, known by its `total`, or `coverage-final.json`. The text is held, the values are not.
 */
export function istanbulReader(): ReportReader {
  const pieces: string[] = []
  return {
    write: (text) => void pieces.push(text),
    async end() {
      const summary = summaryCollector()
      const final = finalCollector()
      await readJsonValues(pieces.splice(0).join(''), {
        value(path, value) {
          summary.value(path, value)
          final.value(path, value)
        },
        objectBegins: final.objectBegins,
        objectEnds: final.objectEnds,
      })
      const report = summary.report() ?? final.report()
      return report ?? unsupported('its JSON is neither a final nor a summary report of Istanbul')
    },
  }
}
