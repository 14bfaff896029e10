import { type TestCase, testCase } from './test-report.js'

const versionLine = /^TAP version \d+\s*$/
const planLine = /^1\.\.(\d+)\s*(?:#.*)?$/
const testLine = /^(not )?ok\b(?:[ \t]+(\d+)(?=\s|$))?(.*)$/
const bailOutLine = /^Bail out!(.*)$/i
const isScript = /\.[cm]?[jt]sx?$/
const directive = /(?:^|\s)#\s*(?:skip|todo)/i

/** Whether a text holds a TAP stream; what a package manager prints before it does not matter. */
export function isTap(text: string): boolean {
  return text.split(/\r?\n/).some((line) => {
    return (
      versionLine.test(line) || planLine.test(line) || /^(?:not )?ok \d+(?:\s|$)/.test(line) || bailOutLine.test(line)
    )
  })
}

/** How the first line of a report begins whose reporter distinguished files from tests. */
export const reporterMark = '# Reported by file for Jurist'
/** Why a file of tests is no passed test. */
export const noTestRan = 'no test of this file ran'
/** Why a test without an end is an errored one. */
export const noEnd = 'the test began and did not end'

/** What Node says of a file whose process ended with an error that no test of it explains. */
const fileBroke = 'test failed'
const errorComment = /^# ((?:\w{1,40}: )?\w{0,40}Error\b.{0,300})/

interface Point {
  readonly id: string
  readonly status: TestCase['status']
  readonly diagnostics: string[]
  /** Whether it may be a file that ended with 0 before its first test: Node reports it as a passed test. */
  readonly isFile: boolean
  /** The last error among the comments before it, which hold what its process printed. */
  readonly printed: string
}

/**
 * The tests of a TAP stream. Whatever is indented belongs to subtests or diagnostics; a plan that is missing or not met,
 * and a bail out, are the errored test `(plan)`.
 */
export function readTap(text: string): readonly TestCase[] {
  const points: Point[] = []
  const plans: number[] = []
  const faults: string[] = []
  let block: string[] | undefined
  let before = ''
  let isMarked = false
  let printed = ''
  for (const line of text.split(/\r?\n/)) {
    const subtest = before
    before = line
    isMarked ||= points.length === 0 && line === reporterMark
    if (/^ {2}---\s*$/.test(line)) block = points.at(-1)?.diagnostics
    else if (/^ {2}\.\.\.\s*$/.test(line)) block = undefined
    else if (line === '' || /^\s/.test(line)) block?.push(line)
    else {
      const [, planned] = planLine.exec(line) ?? []
      const [, reason] = bailOutLine.exec(line) ?? []
      const point = pointOf(line, points.length + 1, isMarked ? '' : subtest, printed)
      printed = errorComment.exec(line)?.[1] ?? (point === undefined ? printed : '')
      if (planned !== undefined) plans.push(Number(planned))
      else if (reason !== undefined) faults.push(`bailed out: ${reason.trim() || 'without a reason'}`)
      else if (point !== undefined) points.push(point)
    }
  }
  const fault = faults[0] ?? planFault(plans, points.length)
  return [...points.map(testOf), ...(fault === undefined ? [] : [testCase('(plan)', 'errored', fault)])]
}

/** @param before the line before, which for a test without children is `# Subtest:` with its name */
function pointOf(line: string, position: number, before: string, printed: string): Point | undefined {
  const found = testLine.exec(line)
  if (found === null) return undefined
  const [, not, number = String(position), rest = ''] = found
  const { description, isLeftOut } = splitDirective(rest)
  const status = isLeftOut ? 'skipped' : not === undefined ? 'passed' : 'failed'
  const isFile = status === 'passed' && isScript.test(description) && before === `# Subtest: ${description}`
  return { id: description === '' ? number : description, status, diagnostics: [], isFile, printed }
}

/** The description without its escapes, and whether `# SKIP` or `# TODO` follows it. */
function splitDirective(rest: string): { readonly description: string; readonly isLeftOut: boolean } {
  // An escaped hash is part of the description, so it must not look like the start of a directive.
  const masked = rest.replace(/\\[\\#]/g, '__')
  const at = directive.exec(masked)?.index
  const description = rest
    .slice(0, at)
    .replace(/^\s*(?:- ?)?/, '')
    .replace(/\\([\\#])/g, '$1')
  return { description: description.trim(), isLeftOut: at !== undefined }
}

function planFault(plans: readonly number[], points: number): string | undefined {
  const [planned] = plans
  if (planned === undefined) return `the stream ends without a plan after ${points} tests`
  if (plans.length > 1) return 'the stream has more than one plan'
  return planned === points ? undefined : `${planned} tests were planned, ${points} were reported`
}

function testOf({ id, status, diagnostics, isFile, printed }: Point): TestCase {
  if (isFile) return testCase(id, 'errored', noTestRan)
  const seconds = diagnosticOf(diagnostics, /^\s*duration_ms:/)
  const isBad = status === 'failed'
  const message = isBad ? diagnosticOf(diagnostics, /^\s*(?:error|message):/) : ''
  if (isBad && message === fileBroke) {
    if (isScript.test(id)) return testCase(id, 'errored', printed || 'the file broke off')
    // A directory, which Node reads since version 22 as the name of a file.
    return testCase(id, status, printed || message)
  }
  const isLost = message === noTestRan || message === noEnd
  return testCase(id, isLost ? 'errored' : status, message, seconds === '' ? null : Number(seconds))
}

/** The value of a key of the diagnostics: the rest of its line, or the lines below it that are indented more. */
export function diagnosticOf(lines: readonly string[], key: RegExp): string {
  const at = lines.findIndex((line) => key.test(line))
  const line = lines[at]
  if (line === undefined) return ''
  const value = line.replace(key, '').trim()
  if (!/^[|>]/.test(value)) return unquoted(value)
  const indent = indentOf(line)
  const below = lines.slice(at + 1)
  const end = below.findIndex((next) => next.trim() !== '' && indentOf(next) <= indent)
  const text = below.slice(0, end < 0 ? undefined : end)
  const least = Math.min(...text.filter((next) => next.trim() !== '').map(indentOf))
  return text
    .map((next) => next.slice(least).trimEnd())
    .join('\n')
    .trim()
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['b', '\b'],
  ['f', '\f'],
  ['v', '\v'],
  ['0', '\0'],
])

const escapeSequence = /\\(?:u\{([\da-f]{1,6})\}|u([\da-f]{4})|x([\da-f]{2})|(.))/gis

/** A value without its quotes. Node quotes texts as JavaScript does: with single quotes, double quotes or backticks. */
function unquoted(value: string): string {
  const [, quote, inner] = /^(['"`])(.*)\1$/s.exec(value) ?? []
  if (inner === undefined) return value
  const text = quote === "'" ? inner.replaceAll("''", "'") : inner
  return text.replace(escapeSequence, (_, braced?: string, four?: string, two?: string, one = '') => {
    const code = Number.parseInt(braced ?? four ?? two ?? '', 16)
    if (!Number.isNaN(code)) return code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code)
    return escapes.get(one) ?? one
  })
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}
