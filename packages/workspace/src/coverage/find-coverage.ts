import type { Workspace } from '@jurist/core'
import { checkOptions, maxEntries, normalizePath, type OptionRule } from '@jurist/core/internal'
import { listTree, searchedEntries } from '../list-tree.js'
import { quoted } from '../quotation.js'
import { directoryOf } from '../workspace-settings.js'
import {
  type CoverageReport,
  corrupt,
  counterOf,
  countIn,
  type ReportReader,
  reportOf,
  tally,
  wasHit,
} from './coverage-report.js'
import { istanbulReader } from './istanbul.js'
import { xmlReader } from './xml-reports.js'

interface Format {
  /** Its name in messages. */
  readonly title: string
  /** Matches the beginning of a report. JaCoCo, Cobertura and Clover are XML; the root element decides. */
  readonly begins: RegExp
  readonly reader: () => ReportReader | Promise<ReportReader>
  /** The paths to which builds usually write it. `eachModule` means one report in each module of a project. */
  readonly places: readonly string[]
}

/** The path to which Maven writes the report of a module. */
const placeInModule = 'target/site/jacoco/jacoco.xml'
const eachModule = `*/${placeInModule}`

/** All supported formats, in the order in which reports are searched: the first place with a report counts. */
const formats: { readonly [format in CoverageReport['format']]: Format } = {
  jacoco: {
    title: 'JaCoCo XML',
    begins: /^\s*</,
    reader: xmlReader,
    places: [
      placeInModule,
      'target/site/jacoco-aggregate/jacoco.xml',
      'build/reports/jacoco/test/jacocoTestReport.xml',
      eachModule,
    ],
  },
  istanbul: {
    title: 'Istanbul JSON',
    begins: /^\s*\{/,
    reader: istanbulReader,
    places: ['coverage/coverage-summary.json', 'coverage/coverage-final.json'],
  },
  lcov: {
    title: 'LCOV',
    begins: /^(?:TN|SF):/m,
    reader: lcovReader,
    places: ['coverage/lcov.info', 'lcov.info'],
  },
  cobertura: {
    title: 'Cobertura',
    begins: /^\s*</,
    reader: xmlReader,
    places: ['coverage/cobertura-coverage.xml', 'coverage.xml'],
  },
  clover: {
    title: 'Clover',
    begins: /^\s*</,
    reader: xmlReader,
    places: ['coverage/clover.xml', 'clover.xml'],
  },
}

export const formatNames: readonly string[] = Object.keys(formats)

const titles = Object.values(formats).map(({ title }) => title)

/** The titles of the formats for messages: `A, B or C`. */
export const formatTitles: string = `${titles.slice(0, -1).join(', ')} or ${titles.at(-1)}`

const usualPlaces = Object.values(formats).flatMap(({ places }) => places)

/** Returns the reader of a report that begins like this, or `undefined`. */
export function readerOf(head: string): ReportReader | Promise<ReportReader> | undefined {
  return Object.values(formats)
    .find(({ begins }) => begins.test(head))
    ?.reader()
}

const isPath = (value: unknown): boolean => {
  try {
    return typeof value === 'string' && normalizePath(value, 'file') !== ''
  } catch {
    return false
  }
}

export const reportRule: OptionRule = {
  wants: 'a path or glob inside the workspace, or an array of them',
  holds: (value) => (Array.isArray(value) ? value.length > 0 && value.every(isPath) : isPath(value)),
  schema: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }] },
}

/**
 * Finds the paths of the coverage reports of a workspace, sorted: those that match `report`, or those in the first
 * usual place of Maven (JaCoCo, also one in each module), Gradle, Istanbul, LCOV, Cobertura and Clover. Several reports
 * are parts of one whole.
 *
 * @param options `report`: paths or globs. Globs find regular files; in `.git` and `node_modules`, only if they begin
 * there
 *
 * @example
 * import { localWorkspace } from '@jurist/workspace'
 * import { findCoverage } from '@jurist/workspace/coverage'
 *
 * await findCoverage(localWorkspace('project'), { report: ['server/lcov.info', 'client/lcov.info'] })
 */
export async function findCoverage(
  workspace: Workspace,
  options?: { readonly report?: string | readonly string[] },
): Promise<readonly string[]> {
  const { report } = checkOptions('findCoverage', options, { report: reportRule })
  return reportsIn(workspace, report)
}

/** Does the same with checked options. The signal ends a search. */
export async function reportsIn(
  workspace: Workspace,
  report?: string | readonly string[],
  signal?: AbortSignal,
): Promise<readonly string[]> {
  if (report !== undefined) return reportsAt(workspace, [report].flat(), signal)
  for (const place of usualPlaces) {
    const found = place === eachModule ? await ofModules(workspace, signal) : await onlyFiles(workspace, [place])
    if (found.length > 0) return found
  }
  return []
}

/** Finds every report that `reportsIn` could find, even if an earlier place takes precedence. */
export async function everyReportIn(
  workspace: Workspace,
  report: string | readonly string[] | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (report !== undefined) return reportsAt(workspace, [report].flat(), signal)
  const places = usualPlaces.filter((place) => place !== eachModule)
  return [...(await onlyFiles(workspace, places)), ...(await ofModules(workspace, signal))]
}

async function onlyFiles(workspace: Workspace, paths: readonly string[]): Promise<readonly string[]> {
  const files: string[] = []
  for (const path of paths) if (await workspace.isFile(path)) files.push(path)
  return files
}

/** The root is listed without what is below its directories: a workspace may have many files and no module. */
async function ofModules(workspace: Workspace, signal: AbortSignal | undefined): Promise<readonly string[]> {
  const modules: string[] = []
  const root = directoryOf(workspace)
  const listing = { under: '.', ignore: ['/*/*'], maxEntries, signal }
  for await (const { path, type } of root === undefined ? workspace.list({ signal }) : listTree(root, listing))
    if (type === 'directory' && !path.includes('/')) modules.push(`${path}/${placeInModule}`)
  return onlyFiles(workspace, modules)
}

async function reportsAt(
  workspace: Workspace,
  reports: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const paths = reports.map((report) => normalizePath(report, 'file'))
  const found = new Set(await onlyFiles(workspace, paths))
  const { default: picomatch } = await import('picomatch')
  const globs = paths.filter((path) => !found.has(path) && picomatch.scan(path).isGlob)
  if (globs.length > 0) {
    const matches = picomatch(globs, { dot: true, nonegate: true })
    for await (const { path, type } of searchedEntries(workspace, globs, signal))
      if (type === 'file' && matches(path)) found.add(path)
  }
  return [...found].sort()
}

/** The records of one source file. */
interface SourceFile {
  /** Whether each line was covered. */
  readonly lines: Map<number, boolean>
  /** The totals by their LCOV names, such as `LF`. */
  readonly totals: Map<string, number>
}

const maxLineLength = 1_048_576
const totalNames: ReadonlySet<string> = new Set(['LF', 'LH', 'BRF', 'BRH', 'FNF', 'FNH'])

/**
 * Reads LCOV: the lines of each file over all its records, or `LF` and `LH` if there are none; branches and functions
 * by their totals. Several records of one file (one for each test) have one total.
 */
function lcovReader(): ReportReader {
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
      return lcovReport([...files.values()])
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

function lcovReport(files: readonly SourceFile[]): CoverageReport {
  const counts = tally()
  counts.add('line', 0, 0)
  for (const { lines, totals } of files) {
    // Checked even if there are lines: a record with more lines hit than found is not believed.
    if (lines.size === 0 || (totals.has('LF') && totals.has('LH'))) {
      const total = totals.get('LF') ?? 0
      const { covered } = counterOf('line', totals.get('LH') ?? 0, total)
      if (lines.size === 0) counts.add('line', covered ?? 0, total)
    }
    for (const isCovered of lines.values()) counts.add('line', Number(isCovered), 1)
    for (const [metric, found, hit] of [
      ['branch', 'BRF', 'BRH'],
      ['method', 'FNF', 'FNH'],
    ] as const) {
      if (!totals.has(found) && !totals.has(hit)) continue
      const total = totals.get(found) ?? 0
      // Each file is checked separately.
      counts.add(metric, counterOf(metric, totals.get(hit) ?? 0, total).covered ?? 0, total)
    }
  }
  return reportOf('lcov', counts.counter)
}
