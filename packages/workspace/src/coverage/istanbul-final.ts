import { counterOf } from './counter.js'
import type { CoverageReport } from './coverage-report.js'
import { wholeNumber } from './istanbul-number.js'
import type { JsonListener } from './json-values.js'
import { corrupt } from './report-fault.js'

/** Adds up the files of a final report; nothing is kept of a file once it ends. */
export interface FinalCollector extends JsonListener {
  /** `undefined`: it was no final report. */
  report(): CoverageReport | undefined
}

interface Tally {
  covered: number
  total: number
}

/** What one file says, while it is read. */
interface OpenFile {
  /** By statement: the line on which it starts, and how often it ran. */
  readonly startLines: Map<string, number>
  readonly hits: Map<string, number>
  /** Which of the objects of a file it has. */
  readonly parts: Set<string>
}

/** The final report: a line is the start line of a statement, covered when any statement that starts there ran. */
export function finalCollector(): FinalCollector {
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
      else if (part === 's' && path.length === 3) open?.hits.set(id, wholeNumber(value, 'a count in "s"'))
      else if (part === 'f' && path.length === 3) addCount(functions, wholeNumber(value, 'a count in "f"'))
      else if (part === 'b' && path.length === 4) addCount(branches, wholeNumber(value, 'a count in "b"'))
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
