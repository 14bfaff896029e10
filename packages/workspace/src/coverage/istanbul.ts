import { failureOf, isPlainObject, printed } from '@jurist/core/internal'
import {
  type Counter,
  type CoverageReport,
  corrupt,
  counterOf,
  type Metric,
  maxHits,
  type ReportReader,
  reportOf,
  tally,
  unsupported,
} from './coverage-report.js'

type Fields = { readonly [key: string]: unknown }

/** Reads Istanbul's `coverage-summary.json`, which has a `total`, or `coverage-final.json`. */
export function istanbulReader(): ReportReader {
  const pieces: string[] = []
  return {
    write: (text) => void pieces.push(text),
    end() {
      const report = parsed(pieces.join(''))
      const read = summaryOf(report) ?? finalOf(report)
      return read ?? unsupported('its JSON is neither a final nor a summary report of Istanbul')
    },
  }
}

function parsed(text: string): Fields {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    return corrupt(`it is not valid JSON: ${failureOf(thrown).message}`)
  }
}

/** Reads `total` and `covered` of `total.lines`, `.branches` and `.functions`. `pct` is ignored. */
function summaryOf({ total }: Fields): CoverageReport | undefined {
  const counterIn = (metric: Metric, plural: string): Counter | null => {
    const counts = fieldsIn(fieldsIn(total)[plural])
    if (counts['covered'] === undefined && counts['total'] === undefined) return null
    const numberOf = (name: string) => wholeNumber(counts[name], `total.${plural}.${name}`)
    return counterOf(metric, numberOf('covered'), numberOf('total'))
  }
  const counters = {
    line: counterIn('line', 'lines'),
    branch: counterIn('branch', 'branches'),
    method: counterIn('method', 'functions'),
  }
  return counters.line === null ? undefined : reportOf('istanbul', (metric) => counters[metric])
}

/**
 * Adds up the files of a final report; `undefined` for other JSON. A line is the start line of a statement, and is
 * covered if any statement that starts there ran.
 */
function finalOf(report: Fields): CoverageReport | undefined {
  const counts = tally()
  const add = (metric: Metric, isCovered: boolean) => counts.add(metric, Number(isCovered), 1)
  // A project without branches, functions or files counts none of them.
  for (const metric of ['line', 'branch', 'method'] as const) counts.add(metric, 0, 0)
  for (const file of Object.values(report)) {
    const { statementMap, s, f, b } = fieldsIn(file)
    if (!isPlainObject(statementMap) && !isPlainObject(s)) return undefined
    if (!isPlainObject(statementMap) || !isPlainObject(s)) corrupt('a file has only one of "statementMap" and "s"')
    for (const isCovered of linesOf(statementMap, s).values()) add('line', isCovered)
    for (const hits of Object.values(fieldsIn(f))) add('method', hitsIn(hits, 'a count in "f"') > 0)
    for (const hits of Object.values(fieldsIn(b)).flat()) add('branch', hitsIn(hits, 'a count in "b"') > 0)
  }
  return reportOf('istanbul', counts.counter)
}

function linesOf(statements: Fields, hits: Fields): ReadonlyMap<number, boolean> {
  const isCovered = new Map<number, boolean>()
  for (const [id, statement] of Object.entries(statements)) {
    const { line } = fieldsIn(fieldsIn(statement)['start'])
    const start = wholeNumber(line, 'a start line in "statementMap"')
    const count = hitsIn(hits[id] ?? corrupt('a statement has no count in "s"'), 'a count in "s"')
    isCovered.set(start, count > 0 || isCovered.get(start) === true)
  }
  return isCovered
}

function fieldsIn(value: unknown): Fields {
  return isPlainObject(value) ? value : {}
}

/** Checks that a value of a report is an integer of at least 0. */
function wholeNumber(value: unknown, what: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  return corrupt(value === undefined ? `${what} is missing` : `${what} is ${printed(value)}, not a whole number`)
}

/** Returns how often code ran; approximately, beyond 2^53. */
function hitsIn(value: unknown, what: string): number {
  const isHuge = Number.isInteger(value) && Number(value) > Number.MAX_SAFE_INTEGER && Number(value) <= maxHits
  return isHuge ? Number(value) : wholeNumber(value, what)
}
