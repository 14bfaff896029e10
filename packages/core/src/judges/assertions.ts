import type { JudgmentContext } from '../context.js'
import { failureOf, JuristError } from '../errors.js'
import { isPlainObject } from '../json.js'
import type { Judge } from '../judge.js'
import { abstain, concluded, error, type Judgment } from '../judgment.js'
import type { Check } from '../judgment-record.js'
import { search } from './search.js'

/** The tools that the body of `assertions` gets. */
export interface AssertionTools {
  readonly context: JudgmentContext
  /** Each matcher adds one check and returns whether it held; none throws. */
  readonly expect: (actual: unknown, name?: string) => SoftExpectation
  /**
   * Adds one check. It holds unless the body throws or rejects, so any assertion library works. Errors that indicate a
   * bug (`TypeError`, `ReferenceError`, `RangeError`, and `SyntaxError` except for text that is not JSON) are an ERROR
   * of the judge.
   */
  readonly check: (name: string, body: () => unknown) => Promise<boolean>
}

/**
 * Creates a judge from soft assertions: all of them run, each is a check, and the score is the share that held.
 * Abstains without assertions. A body that throws an assertion error adds a failed check. Anything else it throws is an
 * ERROR, because the judge is broken and not the subject; so is a bug in a check or a predicate, or a pattern that
 * takes too long.
 *
 * @example
 * import { assertions } from '@jurist/core'
 *
 * assertions(async ({ context, expect }) => {
 *   const text = await context.workspace.read('README.md')
 *   expect(text, 'title').toContain('# Hello')
 * })
 */
export function assertions(body: (tools: AssertionTools) => unknown): Judge {
  return async function assertions(context) {
    const checks: (Check | undefined)[] = []
    const running: Promise<boolean>[] = []
    const bugs: Bug[] = []
    const note: Note = (check, bug) => {
      checks.push(check)
      if (bug !== undefined) bugs.push({ name: check.name, thrown: bug })
    }
    const expect = (actual: unknown, name?: string) => expectation(actual, note, name)
    const check = (name: string, run: () => unknown) => {
      const place = checks.push(undefined) - 1
      const done = problemIn(run).then((problem) => {
        const check = checkOf(name, 'check', problem && failureOf(problem.thrown).message)
        checks[place] = check
        if (isBug(problem?.thrown)) bugs.push({ name: check.name, thrown: problem?.thrown })
        return problem === undefined
      })
      running.push(done)
      return done
    }
    const thrown = await assertionErrorOf(() => body({ context, expect, check }))
    // One by one, because a check may start others while it runs.
    for (const done of running) await done
    if (thrown !== undefined) checks.push(checkOf('', 'assertion', thrown))
    return conclude(
      checks.filter((one) => one !== undefined),
      bugs,
    )
  }
}

interface Bug {
  readonly name: string
  readonly thrown: unknown
}

function conclude(checks: readonly Check[], [bug]: readonly Bug[]): Judgment {
  if (bug !== undefined)
    return error(`the check "${bug.name}" threw: ${failureOf(bug.thrown).message}`, bug.thrown, { checks })
  if (checks.length === 0) return abstain('there was no assertion')
  const passed = checks.filter((check) => check.passed).length
  const reasoning = `${passed} of ${checks.length} assertions held`
  return concluded(passed === checks.length, reasoning, { score: passed / checks.length, checks })
}

/** `undefined` when `run` throws nothing. Anything can be thrown, `undefined` too. */
async function problemIn(run: () => unknown): Promise<{ readonly thrown: unknown } | undefined> {
  try {
    await run()
    return undefined
  } catch (thrown) {
    return { thrown }
  }
}

async function assertionErrorOf(body: () => unknown): Promise<string | undefined> {
  try {
    await body()
    return undefined
  } catch (thrown) {
    const { name, code, message } = failureOf(thrown)
    if (name === 'AssertionError' || code === 'ERR_ASSERTION') return message
    throw thrown
  }
}

/** Matchers that each add a check and return whether it held. */
export interface SoftExpectation {
  readonly not: SoftExpectation
  /** `Object.is`. */
  toBe(expected: unknown): boolean
  /** Deep equality of plain data. */
  toEqual(expected: unknown): boolean
  /** Part of a string, or a member of an array (`Object.is`). */
  toContain(expected: unknown): boolean
  /**
   * Searches the text and does not need a full match. Has the time limit of `search`; a pattern that takes longer is an
   * ERROR.
   */
  toMatch(expected: RegExp | string): boolean
  toHaveLength(expected: number): boolean
  toSatisfy(predicate: (value: unknown) => boolean): boolean
  toBeGreaterThan(expected: number): boolean
  toBeLessThan(expected: number): boolean
  toBeTruthy(): boolean
  toBeDefined(): boolean
}

const maxMessage = 500

function checkOf(name: unknown, otherwise: string, problem: string | undefined): Check {
  return {
    name: typeof name === 'string' && name.trim() !== '' ? name : otherwise,
    passed: problem === undefined,
    message: (problem ?? '').slice(0, maxMessage),
  }
}

/** `bug` is the thrown value where the judge is to blame, and not the value under test. */
type Note = (check: Check, bug?: unknown) => void

/** A value of the wrong type fails its check. */
function expectation(actual: unknown, note: Note, name: string | undefined, negated = false): SoftExpectation {
  const match = (matcher: string, holds: () => boolean | undefined, ...expected: readonly unknown[]): boolean => {
    const { held, bug } = safely(holds)
    const passed = held !== undefined && held !== negated
    const wanted = () => `expected ${show(actual)} ${negated ? 'not ' : ''}${matcher} ${expected.map(show)}`.trimEnd()
    note(checkOf(name, matcher, passed ? undefined : wanted()), bug)
    return passed
  }
  return {
    get not() {
      return expectation(actual, note, name, !negated)
    },
    toBe: (expected) => match('toBe', () => Object.is(actual, expected), expected),
    toEqual: (expected) => match('toEqual', () => equal(actual, expected), expected),
    toContain: (expected) => match('toContain', () => contains(actual, expected), expected),
    toMatch: (expected) => match('toMatch', () => matches(actual, expected), expected),
    toHaveLength: (expected) => match('toHaveLength', () => hasLength(actual, expected), expected),
    toSatisfy: (predicate) => match('toSatisfy', () => predicate(actual) === true, predicate),
    toBeGreaterThan: (expected) =>
      match('toBeGreaterThan', () => compare(actual, expected, (n) => n > expected), expected),
    toBeLessThan: (expected) => match('toBeLessThan', () => compare(actual, expected, (n) => n < expected), expected),
    toBeTruthy: () => match('toBeTruthy', () => Boolean(actual)),
    toBeDefined: () => match('toBeDefined', () => actual !== undefined),
  }
}

/** `held` is `undefined` for a value of the wrong type, which a negation must not turn into a success. */
function safely(holds: () => boolean | undefined): { readonly held: boolean | undefined; readonly bug?: unknown } {
  try {
    return { held: holds() }
  } catch (thrown) {
    return { held: undefined, bug: isBug(thrown) ? thrown : undefined }
  }
}

function contains(actual: unknown, expected: unknown): boolean | undefined {
  if (typeof actual === 'string') return typeof expected === 'string' ? actual.includes(expected) : undefined
  return Array.isArray(actual) ? actual.some((member) => Object.is(member, expected)) : undefined
}

function matches(actual: unknown, expected: RegExp | string): boolean | undefined {
  return typeof actual === 'string' ? search(expected)(actual) : undefined
}

function hasLength(actual: unknown, expected: number): boolean | undefined {
  const { length } = (actual ?? {}) as { readonly length?: unknown }
  return typeof length === 'number' ? length === expected : undefined
}

function compare(actual: unknown, expected: number, holds: (actual: number) => boolean): boolean | undefined {
  return typeof actual === 'number' && typeof expected === 'number' ? holds(actual) : undefined
}

function equal(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (Array.isArray(a) && Array.isArray(b))
    // Spreading turns holes into undefined, so that they are compared too.
    return a.length === b.length && [...a].every((member, index) => equal(member, b[index]))
  if (!isPlainObject(a) || !isPlainObject(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]))
}

function show(value: unknown): string {
  return textOf(value).slice(0, 200)
}

function textOf(value: unknown): string {
  try {
    if (typeof value === 'function') return String(value.name || 'a function')
    return (value instanceof RegExp ? undefined : JSON.stringify(value)) ?? String(value)
  } catch {
    return failureOf(value).message
  }
}

/** A judge that throws one of these has a bug. */
const languageErrors: ReadonlySet<string> = new Set(['TypeError', 'ReferenceError', 'RangeError', 'SyntaxError'])

/**
 * Text that is not JSON is a fault of the text, although the language throws a SyntaxError. Errors of assertion
 * libraries are not bugs.
 */
function isBug(thrown: unknown): boolean {
  if (JuristError.is(thrown, 'regex-timeout') || JuristError.is(thrown, 'pattern-invalid')) return true
  const { name, code, message } = failureOf(thrown)
  if (code === 'ERR_ASSERTION' || !languageErrors.has(name)) return false
  return name !== 'SyntaxError' || !message.includes('JSON')
}
