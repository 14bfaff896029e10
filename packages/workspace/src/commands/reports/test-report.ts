import { stripVTControlCharacters } from 'node:util'

/** One test of a report. */
export interface TestCase {
  /** JUnit `classname#name`, Jest and Vitest `file > title > title`, Go `package.Test/Sub`, Cargo and TAP the name. */
  readonly id: string
  readonly status: 'passed' | 'failed' | 'errored' | 'skipped'
  /** Why it failed, as far as the report says; else empty. */
  readonly message: string
  /** Milliseconds; `null` when the report has none. */
  readonly elapsedMs: number | null
}
/** What a test run left behind, in one form for all formats. No id occurs twice. */
export interface TestReport {
  readonly format: 'junit' | 'tap' | 'jest' | 'go' | 'cargo'
  /** In order of first appearance. */
  readonly tests: readonly TestCase[]
}

// Where the stack of JavaScript or Java begins: the lines above it say what is wrong.
const stack = /\n\s+at \S/

const maxMessageLength = 1_000
const byBadness: readonly TestCase['status'][] = ['skipped', 'passed', 'failed', 'errored']

/** The tests with each id once: of equal ids the worst status counts. */
export function distinctTests(tests: Iterable<TestCase>): readonly TestCase[] {
  const byId = new Map<string, TestCase>()
  for (const test of tests) {
    const other = byId.get(test.id)
    if (other === undefined || byBadness.indexOf(test.status) > byBadness.indexOf(other.status)) byId.set(test.id, test)
  }
  return Object.freeze([...byId.values()])
}

/** A test as it is kept: its message short, its time a number or nothing. */
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
