import { JuristError } from '@jurist/core'
import { failureOf, isPlainObject } from '@jurist/core/internal'
import { decoded } from '../../encoding.js'
import { printedLines } from '../printed-summary.js'
import { readJUnit } from './junit.js'
import { readTap } from './tap.js'
import { distinctTests, type TestCase, type TestReport, testCase } from './test-report.js'

/**
 * Reads the tests of a report. The content determines the format: JUnit XML, the JSON of Jest and Vitest, the events of
 * `go test -json`, TAP, the output of `cargo test`.
 *
 * @throws `report-unsupported` for any other format, `report-corrupt` for a report that cannot be believed
 *
 * @example
 * import { readTestReport } from '@jurist/workspace/commands'
 *
 * readTestReport('TAP version 13\nok 1 - adds\n1..1\n').tests // [{ id: 'adds', status: 'passed', … }]
 */
export function readTestReport(report: Uint8Array | string): TestReport {
  return parseReport(report, 'The report')
}

/** Reads the tests of the report at `path`, which errors mention. */
export function parseReport(report: Uint8Array | string, path: string): TestReport {
  try {
    const found = testsOf(typeof report === 'string' ? report.replace(/^\ufeff/, '') : decoded(report))
    if (found !== undefined) return Object.freeze({ format: found.format, tests: distinctTests(found.tests) })
  } catch (thrown) {
    const problem = failureOf(thrown).message.replace(/\.+$/, '').slice(0, 200)
    throw new JuristError('report-corrupt', `${path} cannot be trusted: ${problem}.`, { path }, { cause: thrown })
  }
  const known =
    'JUnit XML, the JSON of Jest or Vitest, the events of "go test -json", TAP and the output of "cargo test"'
  throw new JuristError('report-unsupported', `${path} is not a test report. Known formats: ${known}.`, { path })
}

/** Finds the report in the output of a command; `undefined` without one. */
export function printedReport(output: string): TestReport | undefined {
  const tap = found('tap', readTap(output, 'output'))
  if (tap === undefined && isGo(output)) return parseReport(output, 'The output')
  const printed = tap ?? found('cargo', readCargo(printedLines(output)))
  return printed && { format: printed.format, tests: distinctTests(printed.tests) }
}

interface Found {
  readonly format: TestReport['format']
  readonly tests: readonly TestCase[]
}

function testsOf(text: string): Found | undefined {
  switch (text.trimStart()[0]) {
    case undefined:
      throw new Error('it is empty')
    case '<':
      return found('junit', readJUnit(text.trimStart()))
    case '{':
      return isGo(text) ? found('go', readGo(text)) : found('jest', readJest(JSON.parse(text)))
    default: {
      const tap = found('tap', readTap(text, 'report'))
      if (tap !== undefined) return tap
      return isGo(text) ? found('go', readGo(text)) : found('cargo', readCargo(printedLines(text)))
    }
  }
}

function found(format: TestReport['format'], tests: readonly TestCase[] | undefined): Found | undefined {
  return tests === undefined ? undefined : { format, tests }
}

const beginning = /^running (\d+) tests?$/
const resultLine = /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)(?:, .*)?$/
const summary = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured;/
const statuses: ReadonlyMap<string | undefined, TestCase['status']> = new Map([
  ['ok', 'passed'],
  ['FAILED', 'failed'],
  ['ignored', 'skipped'],
])

/** One of the test programs that `cargo test` runs. */
interface Program {
  readonly planned: number
  readonly tests: TestCase[]
}

/**
 * Reads the tests that `cargo test` printed, one program after the other. A program that began and did not end is an
 * errored test. Returns `undefined` if no program began, or if all ended and one named fewer tests than it counted, as
 * with `--quiet`.
 */
function readCargo(lines: Iterable<string>): readonly TestCase[] | undefined {
  const tests: TestCase[] = []
  const times = new Map<string, number>()
  let isNamed = true
  let isLost = false
  let open: Program | undefined
  const lose = () => {
    if (open === undefined) return
    tests.push(...open.tests, testCase('(cargo test)', 'errored', lostMessage(open)))
    isLost = true
    open = undefined
  }
  for (const line of lines) {
    const [, planned] = beginning.exec(line) ?? []
    if (planned !== undefined) {
      lose()
      open = { planned: Number(planned), tests: [] }
    } else if (open !== undefined) {
      const counts = summary.exec(line)
      const test = counts === null ? resultOf(line, times) : undefined
      if (test !== undefined) open.tests.push(test)
      if (counts === null) continue
      const counted = counts.slice(1).reduce((sum, count) => sum + Number(count), 0)
      if (counted !== open.planned) lose()
      else {
        isNamed &&= open.tests.length === counted
        tests.push(...open.tests)
        open = undefined
      }
    }
  }
  lose()
  return isLost || (isNamed && tests.length > 0) ? tests : undefined
}

function lostMessage({ planned }: Program): string {
  return `a program of ${planned} tests began and did not finish`
}

/** Two programs may have tests with the same name, and both count. */
function resultOf(line: string, times: Map<string, number>): TestCase | undefined {
  const [, name = '', word] = resultLine.exec(line) ?? []
  const status = statuses.get(word)
  if (status === undefined) return undefined
  const time = (times.get(name) ?? 0) + 1
  times.set(name, time)
  return testCase(time === 1 ? name : `${name} (${time})`, status)
}

const maxOutputLength = 2_000
const ends: ReadonlyMap<unknown, TestCase['status']> = new Map([
  ['pass', 'passed'],
  ['fail', 'failed'],
  ['skip', 'skipped'],
])

const actions = new Set<unknown>(
  'start run pause cont pass bench fail output skip attr artifacts build-output build-fail'.split(' '),
)

function isGo(text: string): boolean {
  const first = text.split('\n').find((line) => line.startsWith('{'))
  if (first === undefined) return false
  try {
    return actions.has(eventOf(first)['Action'])
  } catch {
    return false
  }
}

/**
 * Reads the tests in the events of `go test -json`. Other lines, such as those of a failing build, are skipped.
 *
 * @throws `Error` for an event that is cut off or malformed
 */
function readGo(text: string): readonly TestCase[] {
  const tests: TestCase[] = []
  const outputs = new Map<string, string>()
  for (const line of text.split('\n')) {
    if (!line.startsWith('{')) continue
    const { Action, Package, Test, Output, Elapsed } = eventOf(line)
    if (typeof Test !== 'string') continue
    const id = typeof Package === 'string' ? `${Package}.${Test}` : Test
    const status = ends.get(Action)
    if (Action === 'output' && typeof Output === 'string')
      outputs.set(id, `${outputs.get(id) ?? ''}${Output}`.slice(-maxOutputLength))
    if (status === undefined) continue
    const elapsedMs = typeof Elapsed === 'number' ? Elapsed * 1_000 : null
    tests.push(testCase(id, status, status === 'failed' ? outputs.get(id) : '', elapsedMs))
    outputs.delete(id)
  }
  return tests
}

function eventOf(line: string): { readonly [key: string]: unknown } {
  const event: unknown = JSON.parse(line)
  if (isPlainObject(event)) return event
  throw new Error('an event is not an object')
}

type Fields = { readonly [key: string]: unknown }

/**
 * Reads the tests of a JSON report of Jest or Vitest; `undefined` for other JSON.
 *
 * @throws `Error` for a report whose parts have the wrong type
 */
function readJest(report: unknown): readonly TestCase[] | undefined {
  if (!isPlainObject(report) || !Array.isArray(report['testResults'])) return undefined
  return report['testResults'].flatMap((file) => testsOfFile(fieldsOf(file, 'a test file')))
}

function testsOfFile({ name, status, message, assertionResults }: Fields): readonly TestCase[] {
  const file = textOf(name, 'the name of a test file')
  if (!Array.isArray(assertionResults)) throw new Error(`${file} has no list of results`)
  const tests = assertionResults.map((result) => testOf(file, fieldsOf(result, 'a result')))
  // A file that could not be loaded, or that broke between its tests, has no failed test that explains it.
  const isExplained = status !== 'failed' || tests.some((test) => test.status === 'failed')
  return isExplained ? tests : [...tests, testCase(file, 'errored', message)]
}

function testOf(file: string, { ancestorTitles = [], title, status, duration, failureMessages }: Fields): TestCase {
  if (!Array.isArray(ancestorTitles)) throw new Error(`the titles of a test in ${file} are no list`)
  const titles = [...ancestorTitles, title].map((one) => textOf(one, `a title in ${file}`))
  const messages: readonly unknown[] = Array.isArray(failureMessages) ? failureMessages : []
  return testCase([file, ...titles].join(' > '), statusOf(status), messageOf(messages), duration)
}

/** Vitest reports a timeout with the error that it created for the stack, whose message is useless. */
function messageOf([message]: readonly unknown[]): unknown {
  return typeof message === 'string' && /^Error: STACK_TRACE_ERROR\b/.test(message) ? 'timed out' : message
}

function statusOf(status: unknown): TestCase['status'] {
  const name = textOf(status, 'the status of a test')
  if (name === 'passed' || name === 'failed') return name
  if (['pending', 'skipped', 'todo', 'disabled', 'focused'].includes(name)) return 'skipped'
  throw new Error(`unknown status ${JSON.stringify(name.slice(0, 40))}`)
}

function fieldsOf(value: unknown, what: string): Fields {
  if (isPlainObject(value)) return value
  throw new Error(`${what} is not an object`)
}

function textOf(value: unknown, what: string): string {
  if (typeof value === 'string') return value
  throw new Error(`${what} is not a string`)
}
