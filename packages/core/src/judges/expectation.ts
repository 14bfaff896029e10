import type { Check } from '../check.js'
import { failureOf } from '../errors.js'
import { isPlainObject } from '../json.js'
import { isBug } from './judge-bug.js'
import { search } from './search.js'

/** Matchers that note a check each and say whether it held. */
export interface SoftExpectation {
  readonly not: SoftExpectation
  /** `Object.is`. */
  toBe(expected: unknown): boolean
  /** Deep equality of plain data. */
  toEqual(expected: unknown): boolean
  /** A part of a text, or a member of a list (`Object.is`). */
  toContain(expected: unknown): boolean
  /** A search, not a full match, within the budget of `search`: a pattern that takes longer is an ERROR. */
  toMatch(expected: RegExp | string): boolean
  toHaveLength(expected: number): boolean
  toSatisfy(predicate: (value: unknown) => boolean): boolean
  toBeGreaterThan(expected: number): boolean
  toBeLessThan(expected: number): boolean
  toBeTruthy(): boolean
  toBeDefined(): boolean
}

const maxMessage = 500

/** The check of one assertion, named `otherwise` where its own name is blank; it passed unless there is a problem. */
export function checkOf(name: unknown, otherwise: string, problem: string | undefined): Check {
  return {
    name: typeof name === 'string' && name.trim() !== '' ? name : otherwise,
    passed: problem === undefined,
    message: (problem ?? '').slice(0, maxMessage),
  }
}

/** Takes the check of a matcher, and what it threw where the judge, and not the value, is to blame. */
export type Note = (check: Check, bug?: unknown) => void

/** The matchers for one value; `note` gets the check of each call. A value of the wrong kind fails its check. */
export function expectation(actual: unknown, note: Note, name: string | undefined, negated = false): SoftExpectation {
  const match = (matcher: string, expected: unknown, holds: () => boolean | undefined): boolean => {
    const { held, bug } = safely(holds)
    const passed = held !== undefined && held !== negated
    const wanted = () => `expected ${show(actual)} ${negated ? 'not ' : ''}${matcher} ${show(expected)}`.trimEnd()
    note(checkOf(name, matcher, passed ? undefined : wanted()), bug)
    return passed
  }
  return {
    get not() {
      return expectation(actual, note, name, !negated)
    },
    toBe: (expected) => match('toBe', expected, () => Object.is(actual, expected)),
    toEqual: (expected) => match('toEqual', expected, () => equal(actual, expected)),
    toContain: (expected) => match('toContain', expected, () => contains(actual, expected)),
    toMatch: (expected) => match('toMatch', expected, () => matches(actual, expected)),
    toHaveLength: (expected) => match('toHaveLength', expected, () => hasLength(actual, expected)),
    toSatisfy: (predicate) => match('toSatisfy', predicate, () => predicate(actual) === true),
    toBeGreaterThan: (expected) =>
      match('toBeGreaterThan', expected, () => compare(actual, expected, (n) => n > expected)),
    toBeLessThan: (expected) => match('toBeLessThan', expected, () => compare(actual, expected, (n) => n < expected)),
    toBeTruthy: () => match('toBeTruthy', nothing, () => Boolean(actual)),
    toBeDefined: () => match('toBeDefined', nothing, () => actual !== undefined),
  }
}

const nothing = Symbol('no argument')

/** Whether it holds; `held` is `undefined` for a value of the wrong kind, which no negation turns into a success. */
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
    // Spread, so that holes are compared too.
    return a.length === b.length && [...a].every((member, index) => equal(member, b[index]))
  if (!isPlainObject(a) || !isPlainObject(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]))
}

function show(value: unknown): string {
  return value === nothing ? '' : textOf(value).slice(0, 200)
}

function textOf(value: unknown): string {
  try {
    if (typeof value === 'function') return String(value.name || 'a function')
    return (value instanceof RegExp ? undefined : JSON.stringify(value)) ?? String(value)
  } catch {
    return failureOf(value).message
  }
}
