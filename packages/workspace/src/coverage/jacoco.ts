import { type Counter, counterOf, countIn, type Metric, notCounted } from './counter.js'
import type { CoverageReport } from './coverage-report.js'
import { corrupt } from './report-fault.js'
import type { Attributes, XmlCollector } from './xml-collector.js'

interface Sum {
  covered: number
  total: number
}

const metrics: ReadonlyMap<string, Metric> = new Map([
  ['LINE', 'line'],
  ['BRANCH', 'branch'],
  ['METHOD', 'method'],
])

/**
 * JaCoCo: the counters directly inside `report`; of what has none there, the sum of the packages. Counters of classes,
 * methods and groups are parts of these.
 */
export function jacocoCollector(): XmlCollector {
  const ofReport = new Map<Metric, Sum>()
  const ofPackages = new Map<Metric, Sum>()
  const counter = (metric: Metric): Counter | null => {
    const sum = ofReport.get(metric) ?? ofPackages.get(metric)
    return sum === undefined ? null : counterOf(metric, sum.covered, sum.total)
  }
  return {
    open(name, attributes, above) {
      if (name !== 'counter') return
      const metric = metrics.get(attributes['type'] ?? '')
      if (metric === undefined) return
      if (above.length === 1) {
        if (ofReport.has(metric)) corrupt(`it has two ${attributes['type']} counters for the whole report`)
        add(ofReport, metric, attributes)
      } else if (isPackage(above)) add(ofPackages, metric, attributes)
    },
    report: (): CoverageReport =>
      Object.freeze({
        format: 'jacoco',
        line: counter('line') ?? notCounted,
        branch: counter('branch'),
        method: counter('method'),
      }),
  }
}

/** A package stands in the report, or in groups of it. */
function isPackage(above: readonly string[]): boolean {
  return above.at(-1) === 'package' && above.slice(1, -1).every((name) => name === 'group')
}

function add(sums: Map<Metric, Sum>, metric: Metric, attributes: Attributes): void {
  const missed = countIn(attributes['missed'], `"missed" of a ${metric} counter`)
  const covered = countIn(attributes['covered'], `"covered" of a ${metric} counter`)
  const sum = sums.get(metric) ?? { covered: 0, total: 0 }
  sums.set(metric, { covered: sum.covered + covered, total: sum.total + covered + missed })
}
