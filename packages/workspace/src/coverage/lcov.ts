import { quoted } from '../quotation.js'
import type { CoverageReport, ReportReader } from './coverage-report.js'
import { type Counter, corrupt, counterOf, countIn, type Metric, notCounted, wasHit } from './coverage-report.js'

/** What the records of one source file say. */
interface SourceFile {
  /** Whether each line was reached. */
  readonly lines: Map<number, boolean>
  /** The totals by their LCOV names, such as `LF`. */
  readonly totals: Map<string, number>
}

const maxLineLength = 1_048_576
const totalNames: ReadonlySet<string> = new Set(['LF', 'LH', 'BRF', 'BRH', 'FNF', 'FNH'])

/**
 * LCOV: the lines of each file over all its records, or `LF` and `LH` where it has none; branches and functions by their
 * totals. Several records of one file (one a test) have one total.
 */
export function lcovReader(): ReportReader {
  const files = new Map<string, SourceFile>()
  let open: SourceFile | undefined
  let rest = ''
  const readLine = (line: string) => {
    const text = line.trimEnd()
    if (text === '' || text.startsWith('#')) return
    if (text === 'end_of_record') {
      if (open === undefined) corrupt('an end_of_record is outside of a record')
      open = undefined
      return
    }
    const colon = text.indexOf(':')
    const name = text.slice(0, colon)
    if (colon < 0 || !/^[A-Z]{2,8}$/.test(name)) corrupt(`the line ${quoted(text)} is not LCOV`)
    if (name === 'SF' && open !== undefined) corrupt('a record has no end_of_record')
    if (name === 'SF') open = fileIn(files, text.slice(colon + 1))
    else if (name === 'DA' || totalNames.has(name)) readFigure(open, name, text.slice(colon + 1))
  }
  return {
    write(text) {
      const lines = text.split('\n')
      lines[0] = rest + lines[0]
      rest = lines.pop() ?? ''
      if (rest.length > maxLineLength) corrupt(`a line has more than ${maxLineLength} characters`)
      for (const line of lines) readLine(line)
    },
    end() {
      readLine(rest)
      if (open !== undefined) corrupt('the last record has no end_of_record')
      return reportOf([...files.values()])
    },
  }
}

function fileIn(files: Map<string, SourceFile>, path: string): SourceFile {
  const file = files.get(path) ?? { lines: new Map(), totals: new Map() }
  files.set(path, file)
  return file
}

function readFigure(file: SourceFile | undefined, name: string, value: string): void {
  if (file === undefined) corrupt(`${name} is outside of a record`)
  if (name !== 'DA') {
    file.totals.set(name, Math.max(file.totals.get(name) ?? 0, countIn(value, name)))
    return
  }
  const [number, hits] = value.split(',', 2)
  const line = countIn(number, 'the line of a DA')
  const isCovered = wasHit(hits, 'the hits of a DA')
  file.lines.set(line, isCovered || file.lines.get(line) === true)
}

function reportOf(files: readonly SourceFile[]): CoverageReport {
  let [covered, total] = [0, 0]
  for (const { lines, totals } of files) {
    const isWhole = totals.has('LF') && totals.has('LH')
    // Checked even where lines are there: a record that says more were hit than found is not believed.
    const ofTotals = lines.size === 0 || isWhole ? totalsOf('line', [totals], 'LF', 'LH') : null
    if (lines.size === 0) {
      const { covered: hit, total: found } = ofTotals ?? notCounted
      covered += hit ?? 0
      total += found ?? 0
    } else {
      total += lines.size
      for (const isCovered of lines.values()) if (isCovered) covered++
    }
  }
  const all = files.map(({ totals }) => totals)
  return Object.freeze({
    format: 'lcov',
    line: counterOf('line', covered, total),
    branch: totalsOf('branch', all, 'BRF', 'BRH'),
    method: totalsOf('method', all, 'FNF', 'FNH'),
  })
}

/** The sum of two totals over files; `null` when no file has them. Each file is checked by itself. */
function totalsOf(
  metric: Metric,
  files: readonly ReadonlyMap<string, number>[],
  found: string,
  hit: string,
): Counter | null {
  const counted = files.filter((totals) => totals.has(found) || totals.has(hit))
  if (counted.length === 0) return null
  let [covered, total] = [0, 0]
  for (const totals of counted) {
    const one = counterOf(metric, totals.get(hit) ?? 0, totals.get(found) ?? 0)
    covered += one.covered ?? 0
    total += one.total ?? 0
  }
  return counterOf(metric, covered, total)
}
