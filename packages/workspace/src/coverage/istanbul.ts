import { printed } from '@jurist/core/internal'
import { maxDepth } from '../files/comparator.js'
import { quoted } from '../quotation.js'
import {
  type Counter,
  type CoverageReport,
  corrupt,
  counterOf,
  type Metric,
  maxHits,
  type ReportReader,
  unsupported,
} from './coverage-report.js'

/** Receives a JSON document while it is read. A path contains the keys from the outside in, and `''` for each array. */
interface JsonListener {
  /** A string, a number, true, false or null. */
  value(path: readonly string[], value: unknown): void
  /** The beginning or the end of an object. */
  objectBegins(path: readonly string[]): void
  objectEnds(path: readonly string[]): void
}

interface OpenValue {
  /** The keys of an object so far; absent for an array. */
  readonly keys?: Set<string>
}

/** Reads a JSON document without building it. Refuses invalid JSON, repeated keys and more than 256 levels. */
async function readJsonValues(text: string, listener: JsonListener): Promise<void> {
  const { printParseErrorCode, visit } = await import('jsonc-parser')
  const open: OpenValue[] = []
  const path: string[] = []
  const begin = (value: OpenValue) => {
    if (open.push(value) > maxDepth.data) corrupt(`it is nested deeper than ${maxDepth.data} levels`)
    path.push('')
  }
  const end = () => {
    open.pop()
    path.pop()
  }
  visit(
    text,
    {
      onObjectBegin: () => {
        listener.objectBegins(path)
        begin({ keys: new Set() })
      },
      onObjectEnd: () => {
        end()
        listener.objectEnds(path)
      },
      onArrayBegin: () => begin({}),
      onArrayEnd: end,
      onObjectProperty: (key) => {
        const keys = open.at(-1)?.keys
        if (keys?.has(key)) corrupt(`the key ${quoted(key)} is repeated`)
        keys?.add(key)
        path[path.length - 1] = key
      },
      onLiteralValue: (value) => listener.value(path, value),
      onError: (code, _offset, _length, line) =>
        corrupt(`it is not valid JSON: ${printParseErrorCode(code)} on line ${line + 1}`),
    },
    { disallowComments: true, allowTrailingComma: false },
  )
}

/**
 * Reads Istanbul's `coverage-summary.json`, which has a `total`, or `coverage-final.json`. The source is kept in
 * memory, the values are not.
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

/** Adds up the files of a final report. Nothing is kept of a file once it ends. */
interface FinalCollector extends JsonListener {
  /** Returns `undefined` if it was not a final report. */
  report(): CoverageReport | undefined
}

interface Tally {
  covered: number
  total: number
}

interface OpenFile {
  /** For each statement, the line on which it starts, and how often it ran. */
  readonly startLines: Map<string, number>
  readonly hits: Map<string, number>
  /** The objects that the file has. */
  readonly parts: Set<string>
}

/**
 * Collects the final report. A line is the start line of a statement, and is covered if any statement that starts there
 * ran.
 */
function finalCollector(): FinalCollector {
  const [lines, branches, functions]: [Tally, Tally, Tally] = [noTally(), noTally(), noTally()]
  let open: OpenFile | undefined
  let isForeign = false
  return {
    objectBegins(path) {
      if (path.length === 1) open = { startLines: new Map(), hits: new Map(), parts: new Set() }
      if (path.length === 2) open?.parts.add(path[1] ?? '')
    },
    objectEnds(path) {
      if (path.length !== 1 || open === undefined) return
      const isFile = open.parts.has('statementMap') || open.parts.has('s')
      if (isFile) addLines(lines, open)
      else isForeign = true
      open = undefined
    },
    value(path, value) {
      const [, part, id = '', inner, name] = path
      if (path.length === 1) isForeign = true
      else if (part === 's' && path.length === 3) open?.hits.set(id, hitsIn(value, 'a count in "s"'))
      else if (part === 'f' && path.length === 3) addCount(functions, hitsIn(value, 'a count in "f"'))
      else if (part === 'b' && path.length === 4) addCount(branches, hitsIn(value, 'a count in "b"'))
      else if (part === 'statementMap' && path.length === 5 && inner === 'start' && name === 'line')
        open?.startLines.set(id, wholeNumber(value, 'a start line in "statementMap"'))
    },
    report() {
      if (isForeign) return undefined
      return Object.freeze({
        format: 'istanbul',
        line: counterOf('line', lines.covered, lines.total),
        branch: counterOf('branch', branches.covered, branches.total),
        method: counterOf('method', functions.covered, functions.total),
      })
    },
  }
}

const noTally = (): Tally => ({ covered: 0, total: 0 })

function addCount(tally: Tally, count: number): void {
  tally.total++
  if (count > 0) tally.covered++
}

function addLines(tally: Tally, { startLines, hits, parts }: OpenFile): void {
  if (!parts.has('statementMap') || !parts.has('s')) corrupt('a file has only one of "statementMap" and "s"')
  const isCovered = new Map<number, boolean>()
  for (const [id, line] of startLines) {
    const count = hits.get(id) ?? corrupt('a statement has no count in "s"')
    isCovered.set(line, count > 0 || isCovered.get(line) === true)
  }
  for (const covered of isCovered.values()) addCount(tally, covered ? 1 : 0)
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

interface SummaryCollector {
  value(path: readonly string[], value: unknown): void
  /** Returns `undefined` if it was not a summary. */
  report(): CoverageReport | undefined
}

/** Collects the summary: `total` and `covered` of `total.lines`, `.branches` and `.functions`. `pct` is ignored. */
function summaryCollector(): SummaryCollector {
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
