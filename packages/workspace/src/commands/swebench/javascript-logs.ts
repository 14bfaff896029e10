import { byLine, type LogParser, type LogParsers, type LogStatus, lines, linesOf, under } from './log-status.js'

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
export const jestFilesLog: LogParser = byLine((line) => {
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
export const escapes: RegExp = /\u001b(?:[@-Z\\-_]|\[[0-?]*[ -/]*[@-~])/g

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

/** Jasmine of marked: numbered failures. */
const markedLog: LogParser = byLine((line) => {
  const name = /^\d+\)\s([^\n]*)/.exec(line)?.[1]
  return name === undefined ? undefined : [name.trim(), 'FAILED']
})

/** Mocha of ESLint with the reporter `min`: a number, the titles, and the error on a separate line. */
const eslintLog: LogParser = (log) => failed(numbered(log, /\s\s\d+\)/g, 'Error'))

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
function numbered(log: string, number: RegExp, error: string): readonly string[] {
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

export const javascriptLogs: LogParsers = {
  ...under(jestFilesLog, 'carbon', 'react_pdf'),
  ...{ jest: jestLog, jest_json: jestJsonLog, vitest: vitestLog, karma: karmaLog, grommet: grommetLog },
  ...{ chart_js: chartLog, marked: markedLog, bpmn_js: bpmnLog, eslint: eslintLog, openlayers: openLayersLog },
  // A name contains everything after the number, including directives.
  tap: lines(/^(?<result>ok|not ok) \d+ (?<name>[^\n]+)$/),
  // There are two formats, one for each pull request.
  immutable_js: (log, origin) => (origin.instanceId?.endsWith('-2005') === true ? jestJsonLog : jestLog)(log, origin),
}
