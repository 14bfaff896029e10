import { piecesWithoutForbidden } from '../encoding.js'
import { maxDepth } from '../files/comparator.js'
import { quoted } from '../quotation.js'
import {
  type Counter,
  type CoverageReport,
  corrupt,
  counterOf,
  countIn,
  type Metric,
  notCounted,
  type ReportReader,
  rateOnly,
  reportOf,
  tally,
  unsupported,
  wasHit,
} from './coverage-report.js'

/**
 * Reads JaCoCo, Cobertura and Clover, distinguished by the root and its first element. Characters that XML forbids
 * become U+FFFD. No tree is built. A DOCTYPE is skipped and never loaded; one with its own declarations is refused.
 */
export async function xmlReader(): Promise<ReportReader> {
  const { SaxesParser } = await import('saxes')
  const parser = new SaxesParser()
  const piece = piecesWithoutForbidden()
  const above: string[] = []
  let root: Root | undefined
  let collector: XmlCollector | undefined
  parser.on('error', ({ message }) => corrupt(`it is not valid XML: ${message}`))
  parser.on('doctype', (doctype) => {
    if (doctype.replace(/"[^"]*"|'[^']*'/g, '').includes('[')) corrupt('document type declarations are refused')
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (root === undefined) root = { name, attributes }
    else {
      collector ??= collectorFor(root, name)
      collector.open(name, attributes, above)
    }
    if (above.push(name) > maxDepth.data) corrupt(`it is nested deeper than ${maxDepth.data} levels`)
  })
  parser.on('closetag', () => {
    above.pop()
  })
  return {
    write: (text) => void parser.write(piece(text)),
    end() {
      parser.write(piece()).close()
      if (root === undefined) return corrupt('it has no element')
      return (collector ?? collectorFor(root)).report()
    },
  }
}

interface Root {
  readonly name: string
  readonly attributes: Attributes
}

/** @param child the name of the first element in the root: Clover and Cobertura have the same root */
function collectorFor({ name, attributes }: Root, child?: string): XmlCollector {
  if (name === 'report') return jacocoCollector()
  if (name !== 'coverage')
    return unsupported(`its root is ${quoted(name)}; "report" (JaCoCo) and "coverage" (Cobertura, Clover) are read`)
  const isClover = attributes['clover'] !== undefined || child === 'project' || child === 'testproject'
  return isClover ? cloverCollector() : coberturaCollector(attributes)
}

/** Our metrics and those of Clover, which has statements instead of lines. */
const cloverNames = { line: 'statements', branch: 'conditionals', method: 'methods' } as const

/**
 * Collects Clover: the metrics directly inside each project. Those of packages and files are parts of these; tests are
 * not counted.
 */
function cloverCollector(): XmlCollector {
  const counts = tally()
  return {
    open(name, attributes, above) {
      if (name !== 'metrics' || above.length !== 2 || above.at(-1) !== 'project') return
      for (const [metric, counted] of Object.entries(cloverNames) as [Metric, string][]) {
        if (attributes[counted] === undefined) continue
        const total = countIn(attributes[counted], `"${counted}"`)
        const covered = countIn(attributes[`covered${counted}`], `"covered${counted}"`)
        counts.add(metric, covered, total)
      }
    },
    report: () => reportOf('clover', counts.counter),
  }
}

/**
 * Collects Cobertura: the counts of the root; without them, the distinct lines of all classes; without lines, the rate
 * of the root. Branches have the counts or the rate of the root, and methods are not counted.
 */
function coberturaCollector(root: Attributes): XmlCollector {
  const counted = countsOf(root, 'line', 'lines')
  // Read even if there are counts: a report with an impossible rate is not believed.
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

/** A line may belong to several classes of one file. It is covered if one of them ran it. */
function addLine(lines: Map<string, Map<number, boolean>>, filename: string, attributes: Attributes): void {
  const number = countIn(attributes['number'], '"number" of a line')
  const isCovered = wasHit(attributes['hits'], '"hits" of a line')
  const ofFile = lines.get(filename) ?? new Map<number, boolean>()
  ofFile.set(number, isCovered || ofFile.get(number) === true)
  lines.set(filename, ofFile)
}

function countOfLines(lines: ReadonlyMap<string, ReadonlyMap<number, boolean>>): Counter | undefined {
  const counts = tally()
  for (const ofFile of lines.values()) for (const isCovered of ofFile.values()) counts.add('line', Number(isCovered), 1)
  return counts.counter('line') ?? undefined
}

const metrics: ReadonlyMap<string, Metric> = new Map([
  ['LINE', 'line'],
  ['BRANCH', 'branch'],
  ['METHOD', 'method'],
])

/**
 * Collects JaCoCo: the counters directly inside `report`; if there are none, the sum of the packages. Counters of
 * classes, methods and groups are parts of these.
 */
function jacocoCollector(): XmlCollector {
  const [ofReport, ofPackages] = [tally(), tally()]
  return {
    open(name, attributes, above) {
      if (name !== 'counter') return
      const metric = metrics.get(attributes['type'] ?? '')
      if (metric === undefined) return
      if (above.length === 1) {
        if (ofReport.counter(metric) !== null) corrupt(`it has two ${attributes['type']} counters for the whole report`)
        add(ofReport, metric, attributes)
      } else if (isPackage(above)) add(ofPackages, metric, attributes)
    },
    report: () => reportOf('jacoco', (metric) => ofReport.counter(metric) ?? ofPackages.counter(metric)),
  }
}

/** Packages are direct children of the report or of its groups. */
function isPackage(above: readonly string[]): boolean {
  return above.at(-1) === 'package' && above.slice(1, -1).every((name) => name === 'group')
}

function add(counts: ReturnType<typeof tally>, metric: Metric, attributes: Attributes): void {
  const missed = countIn(attributes['missed'], `"missed" of a ${metric} counter`)
  const covered = countIn(attributes['covered'], `"covered" of a ${metric} counter`)
  counts.add(metric, covered, covered + missed)
}

/** The attributes of an element, without a prototype. */
interface Attributes {
  readonly [name: string]: string
}

/** Collects the counts from the elements of a report; nothing else is kept. */
interface XmlCollector {
  /** @param above the names of the elements around it, the root first */
  open(name: string, attributes: Attributes, above: readonly string[]): void
  report(): CoverageReport
}
