import { isPlainObject } from '@jurist/core/internal'
import { type TestCase, testCase } from './test-report.js'

const beginning = /^running (\d+) tests?$/
const resultLine = /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)(?:, .*)?$/
const summary = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored; (\d+) measured;/
const statuses: ReadonlyMap<string | undefined, TestCase['status']> = new Map([
  ['ok', 'passed'],
  ['FAILED', 'failed'],
  ['ignored', 'skipped'],
])

/** One test program of those that `cargo test` runs. */
interface Program {
  readonly planned: number
  readonly tests: TestCase[]
}

/**
 * The tests that `cargo test` printed, one program after the other; a program that began and did not end is an errored
 * test. `undefined` when no program began, or when all ended and one named fewer tests than it counted, as with `--quiet`.
 */
export function readCargo(lines: Iterable<string>): readonly TestCase[] | undefined {
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

/** Two programs may have a test of the same name, and both count. */
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

/** Whether a text holds the events of `go test -json`. */
export function isGo(text: string): boolean {
  const first = text.split('\n').find((line) => line.startsWith('{'))
  if (first === undefined) return false
  try {
    return actions.has(eventOf(first)['Action'])
  } catch {
    return false
  }
}

/**
 * The tests in the events of `go test -json`. Other lines, such as those of a build that fails, are passed over.
 *
 * @throws `Error` for an event that is cut off or malformed
 */
export function readGo(text: string): readonly TestCase[] {
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
 * The tests of a JSON report of Jest or Vitest; `undefined` for JSON of another kind.
 *
 * @throws `Error` for a report whose parts are not what they should be
 */
export function readJest(report: unknown): readonly TestCase[] | undefined {
  if (!isPlainObject(report) || !Array.isArray(report['testResults'])) return undefined
  return report['testResults'].flatMap((file) => testsOfFile(fieldsOf(file, 'a test file')))
}

function testsOfFile({ name, status, message, assertionResults }: Fields): readonly TestCase[] {
  const file = textOf(name, 'the name of a test file')
  if (!Array.isArray(assertionResults)) throw new Error(`${file} has no list of results`)
  const tests = assertionResults.map((result) => testOf(file, fieldsOf(result, 'a result')))
  // A file that could not be loaded, or broke between its tests, has no failed test that says so.
  const isExplained = status !== 'failed' || tests.some((test) => test.status === 'failed')
  return isExplained ? tests : [...tests, testCase(file, 'errored', message)]
}

function testOf(file: string, { ancestorTitles = [], title, status, duration, failureMessages }: Fields): TestCase {
  if (!Array.isArray(ancestorTitles)) throw new Error(`the titles of a test in ${file} are no list`)
  const titles = [...ancestorTitles, title].map((one) => textOf(one, `a title in ${file}`))
  const messages: readonly unknown[] = Array.isArray(failureMessages) ? failureMessages : []
  return testCase([file, ...titles].join(' > '), statusOf(status), messageOf(messages), duration)
}

/** Vitest reports a timeout with the error that it made for the stack, whose text says nothing. */
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
