import { stripVTControlCharacters } from 'node:util'
import { byLine, type LogParser, type LogParsers, type LogStatus, lines, linesOf, under } from './log-status.js'
import { pythonLogs } from './python-logs.js'

const marks: Readonly<Record<string, LogStatus>> = {
  '✓': 'PASSED',
  '✔': 'PASSED',
  '✕': 'FAILED',
  '×': 'FAILED',
  '✖': 'FAILED',
  '○': 'SKIPPED',
  '↓': 'SKIPPED',
}

/** Parses a line that begins with one of the marks. Its name ends before the match of `timing`. */
function marked(only: string, timing: RegExp): LogParser {
  return byLine((given) => {
    const line = given.trim()
    const [mark = ''] = line
    const status = only.includes(mark) ? marks[mark] : undefined
    if (status === undefined || !/^\s[^\n]/.test(line.slice(mark.length))) return undefined
    const rest = line.slice(mark.length + 1)
    const time = timing.exec(rest)
    return [time === null || time.index === 0 ? rest : rest.slice(0, time.index), status]
  })
}

/** Jest with `--verbose`. The time is only printed for slow tests. */
const jestLog: LogParser = (log, origin) => {
  const found = marked('✓✕○', /\s\(\d+\s*m?s\)$/)(log, origin)
  return new Map([...found].map(([name, status]) => [name.trim(), status]))
}

/** Vitest with the reporter `verbose`. */
const vitestLog: LogParser = marked('✓×↓', /\s(?:\d+\s*m?s?|\[skipped\])$/)

/** The lines `[PASSED] name` that a filter creates from the JSON of Jest. */
const jestJsonLog = lines(/^\[(?<result>PASSED|FAILED)\]\s(?<name>[^\n]+)$/)

/** The files that Jest reports as passed or failed, without their time. */
const jestFilesLog: LogParser = byLine((line) => {
  const [, status, rest] = /^(PASS|FAIL)\s([^\n]*)/.exec(line) ?? []
  if (rest === undefined) return undefined
  const name = /^(.*)\s\([\d.]+(?:ms|\ss|s)\)/.exec(rest)?.[1] ?? rest
  return [name, status === 'PASS' ? 'PASSED' : 'FAILED']
})

/** The same in Grommet: a file that failed and later passed has passed. */
const grommetLog: LogParser = (log) => {
  const files = (word: string): readonly string[] =>
    linesOf(log).flatMap((line) =>
      line.startsWith(word) && /\s/.test(line[word.length] ?? '')
        ? [
            line
              .slice(word.length + 1)
              .trim()
              .replace(/\s\([\d.]+\s?(?:ms|s)\)$/, ''),
          ]
        : [],
    )
  const all = [
    ...files('FAIL').map((name) => [name, 'FAILED'] as const),
    ...files('PASS').map((name) => [name, 'PASSED'] as const),
  ]
  return new Map<string, LogStatus>(all)
}

/** Karma with the Mocha reporter: marks below indented suites. */
const karmaLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  const suites: string[] = []
  let [depth, started] = [-1, false]
  for (const line of linesOf(log)) {
    if (line.startsWith('SUMMARY:')) return found
    if (line.includes('Starting browser')) {
      started = true
      continue
    }
    const [, indent = '', mark, name] = (started ? /^(\s*)?([✔✖])?\s([^\n]*)$/.exec(line) : null) ?? []
    if (name === undefined) continue
    if (mark !== undefined) found.set([...suites, name].join(' > '), marks[mark] ?? 'FAILED')
    else if (indent !== '' && indent.length > depth) {
      depth = indent.length
      suites.push(name)
    } else if (indent !== '' && indent.length < depth) {
      depth = indent.length
      suites.pop()
    }
  }
  return found
}

// Runners that print only failed tests. The other tests have passed, if the suite ran at all.

/** Colours and cursor movements. */
const escapes: RegExp = /\u001b(?:[@-Z\\-_]|\[[0-?]*[ -/]*[@-~])/g

/**
 * Returns the last group of each pattern that matches a line. Lines with a different end are skipped, since they would
 * take long.
 */
function failedLines(log: string, patterns: readonly RegExp[]): readonly string[] {
  const lines = linesOf(log).filter((line) => line.endsWith('FAILED'))
  return patterns.flatMap((pattern) => lines.flatMap((line) => pattern.exec(line)?.at(-1) ?? []))
}

function failed(names: readonly string[]): ReadonlyMap<string, LogStatus> {
  return new Map(names.map((name) => [name, 'FAILED']))
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

/** Karma of Chart.js. */
const chartLog: LogParser = (log) =>
  failed(failedLines(log.replace(escapes, ''), [/Chrome\s[\d.]+[^\S\r\n]\([^\n]+?\)[^\S\r\n]([^\n]*)FAILED$/]))

/** Karma of bpmn-js, by browser. */
const bpmnLog: LogParser = (log) =>
  failed(
    failedLines(log, [
      /2KPhantomJS\s[\d.]+\s\(Linux\s[\d.]+\)\s([^\n]*)FAILED$/,
      /2KPhantomJS\s[\d.]+\s\(Linux\sx86_64\)\s([^\n]*)FAILED$/,
      /Chrome\sHeadless\s[^\n]*\s\(Linux\sx86_64\)\s([^\n]*)FAILED$/,
      /HeadlessChrome\s[\d.]+\s\(Linux\s[\d.]+\)\s([^\n]*)FAILED$/,
    ]),
  )

/** Jasmine of marked: numberedFailures failures. */
const markedLog: LogParser = byLine((line) => {
  const name = /^\d+\)\s([^\n]*)/.exec(line)?.[1]
  return name === undefined ? undefined : [name.trim(), 'FAILED']
})

/** Mocha of ESLint with the reporter `min`: a number, the titles, and the error on a separate line. */
const eslintLog: LogParser = (log) => failed(numberedFailures(log, /\s\s\d+\)/g, 'Error'))

/** Karma, Mocha and the rendering tests of OpenLayers. */
const openLayersLog: LogParser = (log) =>
  failed([
    ...failedLines(log, [
      /Chrome\sHeadless\s[\d.]+\s\(Linux\s\S+\)\s([^\n]*)\sFAILED$/,
      /Chrome\s[\d.]+\s\(Linux\s\S+\)\s([^\n]*)FAILED$/,
    ]).map(oneLine),
    ...untilError(log),
    ...linesOf(log)
      .flatMap((line) => /^case\s([^\n]*):\smismatch/.exec(line)?.[1] ?? [])
      .map(oneLine),
  ])

/**
 * Returns what is between a number and the next line that names an error. It scans the log once, of any length.
 */
function numberedFailures(log: string, number: RegExp, error: string): readonly string[] {
  const names: string[] = []
  number.lastIndex = 0
  for (let found = number.exec(log); found !== null; found = number.exec(log)) {
    const from = found.index + found[0].length
    const at = errorAfter(log, from, error)
    if (at === undefined) return names
    const between = log.slice(from, at)
    names.push(oneLine(between.slice(0, Math.max(0, between.lastIndexOf('\n')))))
    const end = log.indexOf('\n', at)
    number.lastIndex = log.lastIndexOf(error, end < 0 ? log.length : end) + error.length
  }
  return names
}

/** Finds the next error that follows a space or a line break. */
function errorAfter(log: string, from: number, error: string): number | undefined {
  const space = /\s/g
  space.lastIndex = from
  const first = space.exec(log)
  const at = first === null ? -1 : log.indexOf(error, first.index + 1)
  return at < 0 ? undefined : at
}

function untilError(log: string): readonly string[] {
  const names: string[] = []
  const number = /^\s\s\d+\)/gm
  for (let found = number.exec(log); found !== null; found = number.exec(log)) {
    const from = found.index + found[0].length
    const at = log.indexOf('Error:', from)
    if (at < 0) return names
    names.push(oneLine(log.slice(from, at)))
    number.lastIndex = at + 'Error:'.length
  }
  return names
}

// The runners of single projects.

const prismCall = './node_modules/.bin/mocha tests/run.js --reporter json'

/** Mocha of Prism: the JSON that each call prints. */
const prismLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  for (const call of log.split(prismCall).slice(1))
    for (const [name, status] of mochaTests(call.slice(call.indexOf('{'), call.lastIndexOf('}') + 1)))
      found.set(name, status)
  return found
}

function mochaTests(text: string): readonly (readonly [string, LogStatus])[] {
  try {
    const { failures, passes } = JSON.parse(text) as { readonly failures: unknown; readonly passes: unknown }
    const tests = (list: unknown, status: LogStatus) =>
      Array.isArray(list)
        ? list.flatMap((test: { readonly fullTitle?: unknown } | null) =>
            typeof test?.fullTitle === 'string' ? [[test.fullTitle, status] as const] : [],
          )
        : []
    return [...tests(failures, 'FAILED'), ...tests(passes, 'PASSED')]
  } catch {
    return []
  }
}

const lighthouseCall = './node_modules/.bin/mocha --reporter json'

/** Mocha of old Lighthouse: the JSON that each call prints, cut anywhere. */
const lighthouseJsonLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  for (const call of log.split(lighthouseCall).slice(1)) {
    for (const title of titlesIn(section(call, '"passes": [', ']'))) found.set(title, 'PASSED')
    for (const title of titlesIn(section(call, '"failures": [', '],'))) found.set(title, 'FAILED')
  }
  return found
}

/** Returns the part after the last beginning, up to the last end. */
function section(text: string, begin: string, end: string): string {
  const start = text.lastIndexOf(begin)
  const rest = start < 0 ? text : text.slice(start + begin.length)
  const stop = rest.lastIndexOf(end)
  return stop < 0 ? rest : rest.slice(0, stop)
}

function titlesIn(text: string): readonly string[] {
  return text
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => /"fullTitle":\s"([^\n]*)",$/.exec(line)?.[1] ?? [])
}

/** The runner of Quarto. Temporary files are numbered, since their names are random. */
const quartoLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  const numbers = new Map<string, number>()
  for (const given of linesOf(log)) {
    if (given.includes('ERRORS') || given.includes('failures:')) return found
    if (!/\[(?:smoke|unit)\]/.test(given)) continue
    const line = numbered(given, numbers)
    const name = (line.split('...', 1)[0] ?? '').trim()
    if (isSummary(line)) continue
    if (line.includes('32mok')) found.set(name, 'PASSED')
    else if (line.includes('31mFAILED') || !found.has(name)) found.set(name, 'FAILED')
  }
  return found
}

function isSummary(line: string): boolean {
  const counts = ['passed', 'failed', 'steps'].every((word) => line.includes(word))
  return counts || line.startsWith('test result:') || line.includes('34mINFO')
}

function numbered(given: string, numbers: Map<string, number>): string {
  let line = given
  for (const pattern of [/\/tmp\/\w+\.qmd/, /\/tmp\/\w+\//]) {
    const name = pattern.exec(line)?.[0]
    if (name === undefined) continue
    const number = numbers.get(name) ?? numbers.size
    numbers.set(name, number)
    line = line.replaceAll(new RegExp(pattern.source, 'g'), `/tmp/${number}`)
  }
  return line
}

/** How many elements are removed from a log. A longer log is not one of this runner. */
const mostElements = 1_000
const longestTitle = 1_000

/**
 * Mocha of p5.js: numbered failures, whose titles are indented further line by line, between JSON and XML that tests
 * print.
 */
const p5Log: LogParser = (log) => {
  const text = withoutElements(withoutJson(stripVTControlCharacters(log)))
  const found = new Map<string, LogStatus>()
  const number = /^[^\S\n]*\d+\)/gm
  for (let match = number.exec(text); match !== null; match = number.exec(text)) {
    const from = match.index + match[0].length
    const titles = text.slice(from, from + longestTitle + 1)
    const end = titles.indexOf(':')
    if (end < 0) continue
    number.lastIndex = from + end + 1
    const lines = titles.slice(0, end).split('\n')
    if (isIndentedFurther(lines)) found.set(lines.map((line) => line.trim()).join(':'), 'FAILED')
  }
  return found
}

function isIndentedFurther(lines: readonly string[]): boolean {
  const indents = [0, ...lines.map((line) => line.length - line.trimStart().length)]
  return indents.every((indent, at) => at === 0 || indent > (indents[at - 1] ?? 0))
}

function withoutJson(log: string): string {
  let [inObject, inArray] = [false, false]
  const kept = log.split('\n').filter((given) => {
    const line = given.trimEnd()
    if (line.endsWith('{')) inObject = true
    else if (line.endsWith('[')) inArray = true
    else if (line === '}' && inObject) inObject = false
    else if (line === ']' && inArray) inArray = false
    else if (!inObject && !inArray) return !isWhole(line)
    return false
  })
  return kept.join('\n')
}

function isWhole(line: string): boolean {
  return (line.startsWith('{') && line.endsWith('}')) || (line.startsWith('[') && line.endsWith(']'))
}

/** Removes elements, the first one first. Unclosed tags inside an element remain open. */
function withoutElements(given: string): string {
  let log = given
  for (let count = 0; count < mostElements; count += 1) {
    const found = firstElement(log)
    if (found === undefined) return log
    const { name, start, end } = found
    const inner = log.slice(start, end).split(`<${name}>`).length - 2
    log = `${log.slice(0, start)}${`<${name}>`.repeat(Math.max(0, inner))}${log.slice(end)}`
  }
  return log
}

/** Finds the first tag that is closed later, and its end. */
function firstElement(
  log: string,
): { readonly name: string; readonly start: number; readonly end: number } | undefined {
  const last = new Map<string, number>()
  for (const { 1: name = '', index, 0: tag } of log.matchAll(/<(\w+)>/g)) {
    const closing = `</${name}>`
    const known = last.get(name) ?? log.lastIndexOf(closing)
    last.set(name, known)
    const from = index + tag.length
    if (known >= from) return { name, start: index, end: log.indexOf(closing, from) + closing.length }
  }
  return undefined
}

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

const built: Readonly<Record<string, LogStatus>> = { SUCCESS: 'PASSED', FAILURE: 'FAILED' }

/**
 * Maven with one test for each call: the shell prints the command with `-Dtest=`, Maven prints the result of the build.
 * Results are assigned to the commands in order, since the two streams mix.
 */
const mavenLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  const waiting: string[] = []
  const early: LogStatus[] = []
  for (const given of linesOf(log)) {
    const line = given.trim()
    const named = line.includes('-Dtest=') ? /-Dtest=(\S+)/.exec(line.slice(lastTest(line)))?.[1] : undefined
    if (named !== undefined) waiting.push(named)
    const result = built[/BUILD (SUCCESS|FAILURE)$/.exec(line)?.[1] ?? '']
    if (result === undefined) continue
    const test = waiting.shift()
    if (test === undefined) early.push(result)
    else found.set(test, result)
  }
  for (const [at, test] of waiting.entries()) {
    const result = early[at]
    if (result !== undefined) found.set(test, result)
  }
  return found
}

/** The index of the last `-Dtest=` with a name. */
function lastTest(line: string): number {
  const last = line.lastIndexOf('-Dtest=')
  return /^-Dtest=\S/.test(line.slice(last)) ? last : line.lastIndexOf('-Dtest=', last - 1)
}

/** Gradle that prints `Class > method PASSED`. Warnings may come between the name and its status. */
const gradleLog: LogParser = (log) => {
  const found = new Map<string, LogStatus>()
  let waiting: string | undefined
  for (const given of linesOf(log)) {
    const line = given.trim()
    const [, name, status] = /^([^>].+)\s(PASSED|FAILED)$/.exec(line) ?? []
    if (name !== undefined) {
      found.set(name, status as LogStatus)
      waiting = undefined
    } else if (/^[^>]\S*\s+>\s+\S+$/.test(line)) waiting = line
    else if (waiting !== undefined && (line === 'PASSED' || line === 'FAILED')) {
      found.set(waiting, line)
      waiting = undefined
    }
  }
  return found
}

/** Minitest, verbose: `Class#test_a. = 0.01 s = .`, read from the end of the line. */
const minitestLog: LogParser = byLine((given) => {
  const line = given.trim()
  const last = Math.max(line.lastIndexOf('.'), line.lastIndexOf('F'), line.lastIndexOf('E'))
  const equals = last < 1 ? -1 : line.lastIndexOf('=', last - 1)
  const end = equals < 2 ? -1 : line.lastIndexOf('. ', equals - 2)
  return end < 1 ? undefined : [line.slice(0, end), line[last] === '.' ? 'PASSED' : 'FAILED']
})

/** Cucumber with the format `progress`. */
const cucumberLog = lines(/^(?<name>[^\n]*) \.+(?<result>\.|F)/)

const redis: Readonly<Record<string, LogStatus>> = { ok: 'PASSED', err: 'FAILED', skip: 'SKIPPED', ignore: 'SKIPPED' }

/** The tests of Redis. The name of a failed one is followed by its file. */
const redisLog: LogParser = byLine((line) => {
  const [, result = '', rest] = /^\[(ok|err|skip|ignore)\]:\s([^\n]+)$/.exec(line.trim()) ?? []
  const status = redis[result]
  if (rest === undefined || status === undefined) return undefined
  const time = /\s\(\d+\s*m?s\)$/.exec(rest)
  const name = time === null || time.index === 0 ? rest : rest.slice(0, time.index)
  return [status === 'FAILED' ? name.replace(/(?<!\s)\s+in\s+\S+$/, '') : name, status]
})

export const logParsers: LogParsers = {
  ...pythonLogs,
  ...under(jestFilesLog, 'carbon', 'react_pdf'),
  ...{ jest: jestLog, jest_json: jestJsonLog, vitest: vitestLog, karma: karmaLog, grommet: grommetLog },
  ...{ chart_js: chartLog, marked: markedLog, bpmn_js: bpmnLog, eslint: eslintLog, openlayers: openLayersLog },
  // A name contains everything after the number, including directives.
  tap: lines(/^(?<result>ok|not ok) \d+ (?<name>[^\n]+)$/),
  // There are two formats, one for each pull request.
  immutable_js: (log, origin) => (origin.instanceId?.endsWith('-2005') === true ? jestJsonLog : jestLog)(log, origin),
  ...{ maven: mavenLog, gradle_custom: gradleLog, redis: redisLog, minitest: minitestLog, cucumber: cucumberLog },
  ant: lines(/^\[junit\]\s+\[(?<result>PASS|FAIL|ERR)\]\s+(?<name>.*)$/),
  // Lines with a different end are skipped, since they would take long.
  gotest: lines(/^(?=[^\n]*\)$)--- (?<result>PASS|FAIL|SKIP): (?<name>.+) \(.+\)$/),
  googletest: lines(/^(?=[^\n]*\)$)[^\n]*\[\s*(?<result>OK|FAILED)\s*\]\s(?<name>[^\n]*)\s\([^\n]*\)$/),
  cargo: lines(/^test\s+(?<name>\S+)\s+\.\.\.\s+(?<result>ok|FAILED)$/),
  jq: lines(/^(?<result>PASS|FAIL):\s(?<name>[^\n]+)$/),
  micropython_test: lines(/^(?<result>pass|FAIL|skip)\s+(?<name>[^\n]+)$/),
  ruby_unit: lines(/^(?:test: )?(?<name>[^\n]+):\s+(?<result>\.|E\b|F\b|O\b)/),
  // The output of a filter for the JSON of RSpec.
  rspec_transformed_json: lines(/^(?<name>[^\n]+) - (?<result>passed|failed)/),
  // There are two formats, one for each pull request.
  jekyll: (log, origin) => (/-(?:8761|8771)$/.test(origin.instanceId ?? '') ? cucumberLog : minitestLog)(log, origin),
  ...{ prismjs: prismLog, quarto_cli: quartoLog, p5js: p5Log },
  ...{ calypso: calypsoLog, highlightjs: highlightLog, phpunit: phpunitLog, lighthouse: lighthouseLog, next: nextLog },
}

export const logParserNames: readonly string[] = Object.keys(logParsers)
