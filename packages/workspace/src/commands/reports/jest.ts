import { isPlainObject } from '@jurist/core/internal'
import { type TestCase, testCase } from './test-report.js'

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
  throw new Error(`there is no status ${JSON.stringify(name.slice(0, 40))}`)
}

function fieldsOf(value: unknown, what: string): Fields {
  if (isPlainObject(value)) return value
  throw new Error(`${what} is no object`)
}

function textOf(value: unknown, what: string): string {
  if (typeof value === 'string') return value
  throw new Error(`${what} is no text`)
}
