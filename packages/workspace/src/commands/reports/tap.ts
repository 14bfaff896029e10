import { type TestCase, testCase } from './test-report.js'

const versionLine = /^TAP version \d+\s*$/
const planLine = /^1\.\.(\d+)\s*(?:#.*)?$/
const testLine = /^(not )?ok(?:[ \t]+(\d+))?(?=\s|$)(.*)$/
const bailOutLine = /^Bail out!(.*)$/i
const isScript = /\.[cm]?[jt]sx?$/
const directive = /(?:^|\s)#\s*(?:skip|todo)/i
const timing = /(?:^|\s)#\s*(?:time=([\d.]{1,20})(ms|s)|duration_ms ([\d.]{1,20}))\s*$/i
/** A brace at the end of a line contains a subtest. */
const brace = /\s\{\s*$/
const bracedContent = /^(?: {4}|\t|\}\s*$)/

/** The beginning of the first line of a report whose reporter distinguished files from tests. */
export const reporterMark = '# Reported by file for Jurist'
/** The message of a test file that does not count as a passed test. */
export const noTestRan = 'no test of this file ran'
/** The message of a test without an end, which is an errored one. */
export const noEnd = 'the test began and did not end'

/** Node's message for a file whose process ended with an error that none of its tests explains. */
const fileBroke = 'test failed'
const errorComment = /^# ((?:\w{1,40}: )?\w{0,40}Error\b.{0,300})/

interface Point {
  readonly id: string
  /** The number as it is written. */
  readonly number: number | undefined
  readonly status: TestCase['status']
  readonly elapsedMs: number | null
  readonly diagnostics: string[]
  /** Whether the description follows a hyphen after the number, as writers of TAP do it. */
  readonly isHyphened: boolean
  /** Whether it may be a file that ended with 0 before its first test: Node reports it as a passed test. */
  readonly isFile: boolean
  /** The last error among the preceding comments, which contain the output of the process. */
  readonly printed: string
}

/** The report of one program. Several programs may write to one output. */
interface Stream {
  /** Whether it began with `TAP version`. */
  readonly isDeclared: boolean
  readonly isMarked: boolean
  readonly points: Point[]
  plan?: number
  /** The number of points before the plan, if the plan came after them. */
  plannedAfter?: number
  /** A plan among the points that differs from the number of those before it. */
  unmet?: number
  fault?: string
}

/**
 * Reads the tests of the TAP streams in a string; `undefined` without any. A stream begins with `TAP version`, or with
 * a plan that has points before or after it. Indented lines belong to subtests or diagnostics. In each stream, a plan
 * that is missing or not met, and a bail out, become the errored test `(plan)`.
 *
 * @param kind `'report'`: the whole string is a report, so every point and plan counts. `'output'`: the output of a
 * command, whose lines may look like a plan or a point by chance
 */
export function readTap(text: string, kind: 'report' | 'output'): readonly TestCase[] | undefined {
  const streams = streamsOf(text).filter((stream, at, all) => {
    return kind === 'report' ? !isList(stream) : !isChance(stream, all[at - 1])
  })
  if (streams.length === 0) return undefined
  return streams.flatMap((stream) => {
    const points = kind === 'report' ? stream.points : withoutChance(stream)
    const fault = stream.fault ?? planFault(stream, points.length) ?? numberFault(stream, points)
    return [...points.map(testOf), ...(fault === undefined ? [] : [testCase('(plan)', 'errored', fault)])]
  })
}

function streamsOf(text: string): readonly Stream[] {
  const streams: Stream[] = []
  let block: string[] | undefined
  let before = ''
  let isMarked = false
  let printed = ''
  const begin = (isDeclared: boolean, parts: Partial<Stream> = {}): Stream => {
    const stream = { isDeclared, isMarked, points: [], ...parts }
    isMarked = false
    streams.push(stream)
    return stream
  }
  const lines = text.split(/\r?\n/)
  for (const [index, line] of lines.entries()) {
    const subtest = before
    before = line
    const current = streams.at(-1)
    if (line === reporterMark && (current === undefined || current.plan !== undefined)) isMarked = true
    if (/^ {2}---\s*$/.test(line)) block = current?.points.at(-1)?.diagnostics
    else if (/^ {2}\.\.\.\s*$/.test(line)) block = undefined
    else if (line === '' || /^\s/.test(line)) block?.push(line)
    else if (versionLine.test(line)) begin(true)
    else {
      const [, planned] = planLine.exec(line) ?? []
      const [, reason] = bailOutLine.exec(line) ?? []
      if (planned !== undefined) addPlan(Number(planned), current, begin)
      else if (reason !== undefined)
        (current ?? begin(false)).fault ??= `bailed out: ${reason.trim() || 'without a reason'}`
      else {
        const isNew = current === undefined || beginsAnother(current, testLine.exec(line)?.[2])
        const marked = isNew ? isMarked : current.isMarked
        const position = isNew ? 1 : current.points.length + 1
        const point = pointOf(line, { position, before: marked ? '' : subtest, printed, next: lines[index + 1] ?? '' })
        printed = errorComment.exec(line)?.[1] ?? (point === undefined ? printed : '')
        if (point !== undefined) (isNew ? begin(false) : current).points.push(point)
      }
    }
  }
  return streams
}

/** A plan comes before or after the points of its stream. A second plan begins another stream. */
function addPlan(
  planned: number,
  current: Stream | undefined,
  begin: (isDeclared: boolean, parts: Partial<Stream>) => Stream,
): void {
  if (current === undefined) begin(false, { plan: planned })
  else if (current.plan === undefined) {
    const { length } = current.points
    if (length === 0) current.plan = planned
    else if (length === planned) Object.assign(current, { plan: planned, plannedAfter: length })
    else if (current.isDeclared || current.points[0]?.number === 1) current.unmet ??= planned
    else begin(false, { plan: planned })
  } else {
    const { plannedAfter = current.points.length } = current
    const later = current.points.slice(plannedAfter)
    // Points without numbers after a plan belong to a separate stream if that has a plan for them.
    if (later.length === 0 || later.length !== planned) begin(false, { plan: planned })
    else begin(false, { plan: planned, plannedAfter: planned, points: current.points.splice(plannedAfter) })
  }
}

/**
 * Whether a point with this number begins another stream: the one before it is complete, or cannot continue with it.
 */
function beginsAnother({ isDeclared, plan, unmet, points }: Stream, number: string | undefined): boolean {
  if (number === undefined || Number(number) !== 1 || points.length === 0) return false
  return plan === undefined ? unmet !== undefined || !isDeclared : points.length >= plan
}

/** Leaves out lines that look like a passed test: the stream has ended, and their numbers do not follow. */
function withoutChance({ plan, points }: Stream): readonly Point[] {
  if (plan === undefined) return points
  return points.filter(({ number, status }, at) => at < plan || status !== 'passed' || number === at + 1)
}

/** Whether points without a plan and without numbers are lines of another report, such as that of `go test`. */
function isList({ isDeclared, plan, unmet, fault, points }: Stream): boolean {
  return !isDeclared && (plan ?? unmet ?? fault) === undefined && points.every(({ number }) => number === undefined)
}

/**
 * Whether other lines only look like a stream: a plan without points, unless the previous stream began with its plan as
 * well; points without a plan that are not numbered like tests; a plan and points that do not belong together.
 */
function isChance({ isDeclared, plan, unmet, fault, points }: Stream, before: Stream | undefined): boolean {
  if (isDeclared || fault !== undefined) return false
  if (points.length === 0) return plan !== 0 && !(before !== undefined && beganWithPlan(before))
  const planned = plan ?? unmet
  if (planned === undefined) return !points.every(({ number, isHyphened }, at) => isHyphened && number === at + 1)
  const isPlanned = ({ number = 0, isHyphened }: Point) => isHyphened || (number > 0 && number <= planned)
  return points.length !== planned && !points.some(isPlanned)
}

function beganWithPlan({ isDeclared, plan, plannedAfter, points }: Stream): boolean {
  return !isDeclared && plan !== undefined && plannedAfter === undefined && points.length > 0
}

interface Around {
  readonly position: number
  /** The previous line. For a test without children, it is `# Subtest:` with its name. */
  readonly before: string
  readonly printed: string
  readonly next: string
}

function pointOf(line: string, { position, before, printed, next }: Around): Point | undefined {
  const found = testLine.exec(line)
  if (found === null) return undefined
  const [, not, number, rest = ''] = found
  const { description, isLeftOut, elapsedMs } = splitDirective(rest, bracedContent.test(next))
  const status = isLeftOut ? 'skipped' : not === undefined ? 'passed' : 'failed'
  return {
    id: description === '' ? (number ?? String(position)) : description,
    number: number === undefined ? undefined : Number(number),
    status,
    elapsedMs,
    diagnostics: [],
    isHyphened: /^\s+- /.test(rest),
    isFile: status === 'passed' && isScript.test(description) && before === `# Subtest: ${description}`,
    printed,
  }
}

interface Described {
  readonly description: string
  /** Whether `# SKIP` or `# TODO` follows it. */
  readonly isLeftOut: boolean
  readonly elapsedMs: number | null
}

/** Separates the description from its escapes, its time, and the brace of a subtest. */
function splitDirective(rest: string, isBraced: boolean): Described {
  const unbraced = (text: string) => (isBraced ? text.replace(brace, '') : text)
  const line = unbraced(rest)
  const [time = '', value, unit, ms] = timing.exec(line) ?? []
  const text = unbraced(line.slice(0, line.length - time.length))
  // An escaped hash is part of the description, so it must not look like the start of a directive.
  const masked = text.replace(/\\[\\#]/g, '__')
  const at = directive.exec(masked)?.index
  const description = text
    .slice(0, at)
    .replace(/^\s*(?:- ?)?/, '')
    .replace(/\\([\\#])/g, '$1')
  const elapsed = Number(value ?? ms) * (unit?.toLowerCase() === 's' ? 1_000 : 1)
  return { description: description.trim(), isLeftOut: at !== undefined, elapsedMs: time === '' ? null : elapsed }
}

function planFault({ plan, unmet }: Stream, length: number): string | undefined {
  const planned = plan ?? unmet
  if (planned === undefined) return `the stream ends without a plan after ${length} tests`
  return planned === length ? undefined : `${planned} tests were planned, ${length} were reported`
}

/**
 * A test that passed under an unplanned number, or under the number of another test, does not count as a planned test.
 */
function numberFault({ plan = 0 }: Stream, points: readonly Point[]): string | undefined {
  const seen = new Set<number>()
  for (const { number, status } of points) {
    if (number === undefined || status === 'failed') continue
    if (number < 1 || number > plan) return `the number ${number} is not one of the ${plan} planned`
    if (seen.has(number)) return `two tests have the number ${number}`
    seen.add(number)
  }
  return undefined
}

function testOf({ id, status, elapsedMs, diagnostics, isFile, printed }: Point): TestCase {
  if (isFile) return testCase(id, 'errored', noTestRan)
  const duration = diagnosticOf(diagnostics, /^\s*duration_ms:/)
  const isBad = status === 'failed'
  const message = isBad ? diagnosticOf(diagnostics, /^\s*(?:error|message):/) : ''
  if (isBad && message === fileBroke) {
    if (isScript.test(id)) return testCase(id, 'errored', printed || 'the file broke off')
    // A directory, which Node reads as the name of a file since version 22.
    return testCase(id, status, printed || message)
  }
  const isLost = message === noTestRan || message === noEnd
  return testCase(id, isLost ? 'errored' : status, message, duration === '' ? elapsedMs : Number(duration))
}

/** Returns the value of a key of the diagnostics: the rest of its line, or the more deeply indented lines below it. */
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

/**
 * Removes the quotes from a value. Node quotes strings as JavaScript does: with single quotes, double quotes or
 * backticks.
 */
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
