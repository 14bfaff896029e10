import { stripVTControlCharacters } from 'node:util'

/** One test of a report. */
export interface TestCase {
  /**
   * The id of the test: `classname#name` in JUnit, `file > title > title` in Jest and Vitest, `package.Test/Sub` in Go,
   * the name in Cargo and TAP.
   */
  readonly id: string
  readonly status: 'passed' | 'failed' | 'errored' | 'skipped'
  /** Why the test failed, according to the report; otherwise empty. */
  readonly message: string
  /** The duration in milliseconds; `null` if the report does not contain it. */
  readonly elapsedMs: number | null
}
/** The results of a test run, in one form for all formats. No id occurs twice. */
export interface TestReport {
  readonly format: 'junit' | 'tap' | 'jest' | 'go' | 'cargo'
  /** In order of first appearance. */
  readonly tests: readonly TestCase[]
}

// The beginning of a JavaScript or Java stack trace. The lines above it contain the message.
const stack = /\n\s+at \S/

const maxMessageLength = 1_000
const byBadness: readonly TestCase['status'][] = ['skipped', 'passed', 'failed', 'errored']

/** Returns the tests with each id once. Of several with the same id, the worst status counts. */
export function distinctTests(tests: Iterable<TestCase>): readonly TestCase[] {
  const byId = new Map<string, TestCase>()
  for (const test of tests) {
    const other = byId.get(test.id)
    if (other === undefined || byBadness.indexOf(test.status) > byBadness.indexOf(other.status)) byId.set(test.id, test)
  }
  return Object.freeze([...byId.values()])
}

/** Creates a test with a short message and a finite duration. */
export function testCase(
  id: string,
  status: TestCase['status'],
  message: unknown = '',
  elapsedMs: unknown = null,
): TestCase {
  const text = typeof message === 'string' ? withoutStack(stripVTControlCharacters(message).trim()) : ''
  const isTime = typeof elapsedMs === 'number' && Number.isFinite(elapsedMs) && elapsedMs >= 0
  return Object.freeze({
    id: id.trim() === '' ? '(unnamed)' : id,
    status,
    message: text.length > maxMessageLength ? `${text.slice(0, maxMessageLength - 1)}…` : text,
    elapsedMs: isTime ? elapsedMs : null,
  })
}

function withoutStack(text: string): string {
  return text.slice(0, stack.exec(text)?.index).trim()
}
