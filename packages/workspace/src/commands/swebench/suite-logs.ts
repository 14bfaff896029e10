import { escapes, jestFilesLog } from './javascript-logs.js'
import { type LogParser, type LogParsers, type LogStatus, linesOf } from './log-status.js'
import { lighthouseJsonLog } from './project-logs.js'

interface Suite {
  readonly name: string
  readonly indent: number
}

/** Returns the suites that contain a heading with this indentation, and the heading itself. */
function within(suites: readonly Suite[], name: string, indent: number): readonly Suite[] {
  return [...suites.filter((suite) => suite.indent < indent), { name, indent }]
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

/** The meaning of a line: a test, a line to skip, the end of the results, or none of these. */
type Read = readonly [name: string, status: LogStatus] | 'skip' | 'end' | undefined

/** Adds the tests below indented suites, and returns the suites at the end. */
function readSuites(
  text: string,
  before: readonly Suite[],
  found: Map<string, LogStatus>,
  read: (line: string) => Read,
  whole: (suites: readonly string[], name: string) => string = (names, name) => [...names, name].join(' - '),
): readonly Suite[] {
  let suites = before
  for (const line of linesOf(text)) {
    const test = read(line)
    if (test === 'end') return suites
    if (test === 'skip') continue
    if (test !== undefined) {
      const names = suites.map(({ name }) => name)
      found.set(whole(names, test[0]), test[1])
    } else if (indentOf(line) > 0) suites = within(suites, line.trim(), indentOf(line))
  }
  return suites
}

/** Part of the line that the shell prints for a call of Jest in Calypso. */
const calypsoCall = ' ./node_modules/.bin/jest '

function calypsoLine(line: string): readonly [string, LogStatus] | 'end' | undefined {
  if (line.startsWith('Test Suites') || line.startsWith('  ● ')) return 'end'
  const [, mark, title] = /^\s+([✓✕])\s([^\n]*)/.exec(line) ?? []
  if (title === undefined) return undefined
  return [/^([^\n]*)\(\d+ms\)$/.exec(title)?.[1] ?? title, mark === '✓' ? 'PASSED' : 'FAILED']
}

/** Jest of Calypso: each call prints indented suites, and marks below them. */
const calypsoLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  let suites: readonly Suite[] = []
  const whole = (names: readonly string[], name: string) => `${names.join(' - ')} - ${name}`.trim()
  for (const call of log.split(calypsoCall).slice(1)) suites = readSuites(call, suites, found, calypsoLine, whole)
  return found
}

/** Mocha of highlight.js: the last heading, and marks and numbers below it. Tests end at the counts. */
const highlightLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  const summary = log.search(/\n[ \t]*\d+ passing/)
  let suite: string | undefined
  for (const line of linesOf(summary < 0 ? log : log.slice(0, summary))) {
    const [, mark, title] = /^(✓|✔|\d+\))([^\n]*)/.exec(line.trim()) ?? []
    if (title !== undefined) {
      const name = title.replace(/\(\d+ms\)/g, '').trim()
      const full = [...(suite === undefined ? [] : [suite]), name].join('.')
      found.set(full, mark === '✓' || mark === '✔' ? 'PASSED' : 'FAILED')
    } else if (line.startsWith('  ')) suite = line.trim()
  }
  return found
}

/** PHPUnit with `--testdox`: a suite with its class in brackets, and marks below it. */
const phpunitLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  const statuses: Readonly<Record<string, LogStatus>> = { '✔': 'PASSED', '✘': 'FAILED', '↩': 'SKIPPED' }
  let suite = 'None'
  for (const line of linesOf(log)) {
    const heading = line.endsWith(')') ? /^(\w[^\n]+) \([^\n]+\)$/.exec(line)?.[1] : undefined
    const [, mark = '', name] = heading === undefined ? (/^\s*([✔✘↩])\s*([^\n]*)$/.exec(line) ?? []) : []
    const status = statuses[mark]
    if (heading !== undefined) suite = heading
    else if (name !== undefined && status !== undefined) found.set(`${suite} > ${name}`, status)
  }
  return found
}

// Browser test runs whose logs show suites by indentation.

const lighthouseMochaLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  for (const run of log.split(/running\s\d+\stest\sfiles/).slice(1)) {
    const summary = run.search(/(?<!\d)\d+\spassing/)
    readSuites((summary < 0 ? run : run.slice(0, summary)).trim(), [], found, (given) => {
      const [, mark, rest] = /^(✔|\d+\))\s([^\n]*)/.exec(given.trim()) ?? []
      if (rest === undefined) return undefined
      return [/^([^\n]*)\s\(\d+m+s\)/.exec(rest)?.[1] ?? rest, mark === '✔' ? 'PASSED' : 'FAILED']
    })
  }
  return found
}

/** Lighthouse, whose runners changed with its versions. */
const lighthouseLog: LogParser = (log, origin) => {
  if (['9.5', '10.0', '10.2'].includes(origin.version ?? '')) return lighthouseMochaLog(log, origin)
  return (Number(origin.version) >= 3 ? jestFilesLog : lighthouseJsonLog)(log, origin)
}

const noise = ['ERROR', 'LOG', 'WARN', 'Check', 'in']

/** Karma of Fusion Next. */
const nextKarmaLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  let suites: readonly Suite[] = []
  for (const run of withoutAssertions(log.replace(escapes, '')).split(' xvfb-run ').slice(1))
    suites = readSuites(run.split('Starting browser Chrome').at(-1) ?? '', suites, found, (line) => {
      if (line.startsWith('TOTAL')) return 'end'
      if (noise.some((word) => line.trim().startsWith(word))) return 'skip'
      const cross = line.indexOf('✗')
      const mark = cross < 0 ? line.indexOf('✓') : cross
      return mark < 0 ? undefined : [line.slice(mark + 1).trimStart(), cross < 0 ? 'PASSED' : 'FAILED']
    })
  return found
}

/** Removes the output of assertions, which looks like suites. */
function withoutAssertions(log: string): string {
  const kept: string[] = []
  const begin = /AssertionError:\s+#/g
  let from = 0
  for (let found = begin.exec(log); found !== null; found = begin.exec(log)) {
    const end = log.indexOf('\n\n', found.index + found[0].length)
    if (end < 0) break
    kept.push(log.slice(from, found.index))
    from = end + 2
    begin.lastIndex = from
  }
  return [...kept, log.slice(from)].join('')
}

/** Cypress of Fusion Next 1.27: a file, its suite, and its tests. */
const nextCypressLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  const runs = [...log.matchAll(/Running:[^\n]*\)\n{3}\s{2}([^\n]*)\n/g)]
  for (const [at, run] of runs.entries()) {
    const text = log.slice(run.index + run[0].length, runs[at + 1]?.index)
    const tests = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => `${run[1]}: ${name.trim()}`)
    for (const name of tests(/^\s{4}\d+\)\s([^\n]*)/gm)) found.set(name, 'FAILED')
    for (const name of tests(/^\s{4}✓\s([^\n]*)\(/gm)) found.set(name, 'PASSED')
  }
  return found
}

/** Fusion Next, whose runners changed with its versions. */
const nextLog: LogParser = (log, origin) => (origin.version === '1.27' ? nextCypressLog : nextKarmaLog)(log, origin)

/** Runners whose logs name suites above their tests. */
export const suiteLogs: LogParsers = {
  ...{ calypso: calypsoLog, highlightjs: highlightLog, phpunit: phpunitLog, lighthouse: lighthouseLog, next: nextLog },
}
