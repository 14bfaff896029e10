import { byLine, type LogParser, type LogStatus, linesOf } from './log-status.js'

// Runners that print failed tests only. What such a log does not name has passed, if the suite ran at all.

/** Colours and what moves the cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is removed.
const escapes = /\u001b(?:[@-Z\\-_]|\[[0-?]*[ -/]*[@-~])/g

/** The last group of each of the patterns that match a line. Only lines that end as the patterns do are tried: others take long. */
function failedLines(log: string, patterns: readonly RegExp[]): readonly string[] {
  const lines = linesOf(log).filter((line) => line.endsWith('FAILED'))
  return patterns.flatMap((pattern) => lines.flatMap((line) => pattern.exec(line)?.at(-1) ?? []))
}

function failed(names: readonly string[]): ReadonlyMap<string, LogStatus> {
  return new Map(names.map((name) => [name, 'FAILED']))
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

/** Karma of Chart.js. */
export const chartLog: LogParser = (log) =>
  failed(failedLines(log.replace(escapes, ''), [/Chrome\s[\d.]+[^\S\r\n]\([^\n]+?\)[^\S\r\n]([^\n]*)FAILED$/]))

/** Karma of bpmn-js, in the browsers that it used. */
export const bpmnLog: LogParser = (log) =>
  failed(
    failedLines(log, [
      /2KPhantomJS\s[\d.]+\s\(Linux\s[\d.]+\)\s([^\n]*)FAILED$/,
      /2KPhantomJS\s[\d.]+\s\(Linux\sx86_64\)\s([^\n]*)FAILED$/,
      /Chrome\sHeadless\s[^\n]*\s\(Linux\sx86_64\)\s([^\n]*)FAILED$/,
      /HeadlessChrome\s[\d.]+\s\(Linux\s[\d.]+\)\s([^\n]*)FAILED$/,
    ]),
  )

/** Jasmine of marked: numbered failures. */
export const markedLog: LogParser = byLine((line) => {
  const name = /^\d+\)\s([^\n]*)/.exec(line)?.[1]
  return name === undefined ? undefined : [name.trim(), 'FAILED']
})

/** Mocha of ESLint with the reporter `min`: a number, the titles, and the error on a line of its own. */
export const eslintLog: LogParser = (log) => failed(numbered(log, /\s\s\d+\)/g, 'Error'))

/** Karma, Mocha and the rendering tests of OpenLayers. */
export const openLayersLog: LogParser = (log) =>
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

/** What is between a number and the next line that names an error. It runs once through the log, however long. */
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

/** Where the next error is that a space or a line end is before. */
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
