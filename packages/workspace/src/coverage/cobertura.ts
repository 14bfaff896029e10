import { type Counter, counterOf, countIn, type Metric, notCounted, rateOnly } from './counter.js'
import type { CoverageReport } from './coverage-report.js'
import type { Attributes, XmlCollector } from './xml-collector.js'

/**
 * Cobertura: the counts of the root; without them the distinct lines of all classes; without lines the rate of the root.
 * Branches have the counts or the rate of the root, and methods are not counted.
 */
export function coberturaCollector(root: Attributes): XmlCollector {
  const counted = countsOf(root, 'line', 'lines')
  // Read even where counts are there: a report with a rate that cannot be is not believed.
  const rates = { line: rateOf(root, 'line'), branch: rateOf(root, 'branch') }
  const lines = new Map<string, Map<number, boolean>>()
  let filename = ''
  return {
    open(name, attributes, above) {
      if (name === 'class') filename = attributes['filename'] ?? attributes['name'] ?? ''
      const isLine = name === 'line' && above.at(-1) === 'lines' && above.at(-2) === 'class'
      if (isLine && counted === undefined) addLine(lines, filename, attributes)
    },
    report: (): CoverageReport =>
      Object.freeze({
        format: 'cobertura',
        line: counted ?? countOfLines(lines) ?? rates.line ?? notCounted,
        branch: countsOf(root, 'branch', 'branches') ?? rates.branch ?? null,
        method: null,
      }),
  }
}

function countsOf(root: Attributes, metric: Metric, plural: string): Counter | undefined {
  const [covered, valid] = [root[`${plural}-covered`], root[`${plural}-valid`]]
  if (covered === undefined || valid === undefined) return undefined
  return counterOf(metric, countIn(covered, `"${plural}-covered"`), countIn(valid, `"${plural}-valid"`))
}

function rateOf(root: Attributes, metric: Metric): Counter | undefined {
  const rate = root[`${metric}-rate`]
  return rate === undefined ? undefined : rateOnly(metric, rate)
}

/** A line may stand in several classes of one file; it is covered when one of them ran it. */
function addLine(lines: Map<string, Map<number, boolean>>, filename: string, attributes: Attributes): void {
  const number = countIn(attributes['number'], '"number" of a line')
  const isCovered = countIn(attributes['hits'], '"hits" of a line') > 0
  const ofFile = lines.get(filename) ?? new Map<number, boolean>()
  ofFile.set(number, isCovered || ofFile.get(number) === true)
  lines.set(filename, ofFile)
}

function countOfLines(lines: ReadonlyMap<string, ReadonlyMap<number, boolean>>): Counter | undefined {
  if (lines.size === 0) return undefined
  let [covered, total] = [0, 0]
  for (const ofFile of lines.values()) {
    total += ofFile.size
    for (const isCovered of ofFile.values()) if (isCovered) covered++
  }
  return counterOf('line', covered, total)
}
