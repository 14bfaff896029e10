import { stripVTControlCharacters } from 'node:util'
import type { LogParser, LogStatus } from './log-status.js'

/** The most elements that are taken out of a log; a longer one is no log of this runner. */
const mostElements = 1_000
const longestTitle = 1_000

/** Mocha of p5.js: numbered failures, whose titles are indented further line by line, between JSON and XML that tests print. */
export const p5Log: LogParser = (log) => {
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

/** Takes out elements, the first one first; what opened inside of one stays open. */
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

/** The first tag that is closed later, up to where it is. */
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
