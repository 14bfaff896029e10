import { type Counter, counterOf, type Metric } from './counter.js'
import type { CoverageReport } from './coverage-report.js'
import { wholeNumber } from './istanbul-number.js'

/** Takes the counts of `total` out of a summary. */
export interface SummaryCollector {
  value(path: readonly string[], value: unknown): void
  /** `undefined`: it was no summary. */
  report(): CoverageReport | undefined
}

/** The summary: `total` and `covered` of `total.lines`, `.branches` and `.functions`; `pct` is ignored. */
export function summaryCollector(): SummaryCollector {
  const counts = new Map<string, unknown>()
  const counterIn = (metric: Metric, plural: string): Counter | null => {
    const [covered, total] = [`${plural}.covered`, `${plural}.total`]
    if (!counts.has(covered) && !counts.has(total)) return null
    const numberOf = (name: string) => wholeNumber(counts.get(name), `total.${name}`)
    return counterOf(metric, numberOf(covered), numberOf(total))
  }
  return {
    value(path, value) {
      const [file, plural, name] = path
      const isCount = path.length === 3 && file === 'total' && (name === 'covered' || name === 'total')
      if (isCount) counts.set(`${plural}.${name}`, value)
    },
    report() {
      const line = counterIn('line', 'lines')
      if (line === null) return undefined
      const [branch, method] = [counterIn('branch', 'branches'), counterIn('method', 'functions')]
      return Object.freeze({ format: 'istanbul', line, branch, method })
    },
  }
}
