import { stripVTControlCharacters } from 'node:util'
import { type LogParser, type LogParsers, type LogStatus, linesOf } from './log-status.js'

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
export const lighthouseJsonLog: LogParser = (log) => {
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

interface Element {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** Finds the first tag that is closed later, and its end. */
function firstElement(log: string): Element | undefined {
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

export const projectLogs: LogParsers = {
  ...{ prismjs: prismLog, quarto_cli: quartoLog, p5js: p5Log },
}
