import { brief, canonicalJson, isPlainObject, type Json, pointerSegment } from '../json.js'
import { isSearchable, search } from '../judges/search.js'
import { optionInvalid, printed } from '../options.js'

/** A rule for an input or a part of it. */
export type InputRule =
  | { readonly equals: Json }
  /** A string must contain this text, an object these fields, an array these elements. */
  | { readonly contains: Json }
  /** A regular expression, or its source, that must be found in the string. */
  | { readonly matches: RegExp | string }
  /** A number that differs by at most `within`. */
  | { readonly close: number; readonly within: number }
  | { readonly oneOf: readonly Json[] }
  | ((value: Json) => boolean)

/**
 * The input of an expected call: JSON with rules at any place, such as `{ city: { matches: '^Lon' }, days: 3 }`. An
 * object in the form of a rule is a rule; to compare data of that form write `{ equals: … }`.
 */
export type ExpectedInput =
  | InputRule
  | null
  | boolean
  | number
  | string
  | readonly ExpectedInput[]
  | { readonly [field: string]: ExpectedInput }

/** How an expected input without a rule is compared. `contains` allows further fields in objects. */
export type InputMode = 'equal' | 'contains' | 'ignore'

/** Receives each difference, with its place. */
type Report = (difference: string) => void

/** With `report` every difference is reported; without it the first one ends the test. */
export type InputTest = (found: Json | undefined, report?: Report, path?: string) => boolean

/** @throws `option-invalid` for a value that is neither JSON nor a rule, `pattern-invalid` */
export function inputTest(where: string, expected: ExpectedInput | undefined, mode: InputMode): InputTest {
  if (expected === undefined || mode === 'ignore') return () => true
  const rule = ruleTest(where, expected)
  if (rule !== undefined) return rule
  if (Array.isArray(expected)) return arrayTest(expected.map((one: ExpectedInput) => inputTest(where, one, mode)))
  if (isPlainObject(expected)) {
    const fields = Object.entries(expected).map(
      ([name, one]) => [name, inputTest(where, one as ExpectedInput, mode)] as const,
    )
    return objectTest(fields, mode === 'equal')
  }
  if (expected !== null && !['boolean', 'number', 'string'].includes(typeof expected))
    optionInvalid('expected', `${where}: an expected input must be JSON or a rule (got ${printed(expected)}).`)
  return leafTest((found) => found === expected, `is not ${brief(expected)}`)
}

function ruleTest(where: string, rule: ExpectedInput): InputTest | undefined {
  if (typeof rule === 'function') {
    const holds = rule as (value: Json) => boolean
    return leafTest((found) => found !== undefined && holds(found) === true, 'does not satisfy the rule')
  }
  if (!isPlainObject(rule)) return undefined
  const { equals, contains, matches, oneOf, close, within } = rule as { readonly [name: string]: Json }
  const names = Object.keys(rule).sort().join()
  if (names === 'equals') return exactly(where, equals as Json)
  if (names === 'contains')
    return leafTest((found) => containsJson(found, contains as Json), `does not contain ${brief(contains)}`)
  if (names === 'matches' && isSearchable(matches)) {
    const found = search(matches)
    return leafTest((text) => typeof text === 'string' && found(text), `does not match ${matches}`)
  }
  if (names === 'oneOf' && Array.isArray(oneOf))
    return leafTest((found) => oneOf.some((one) => sameJson(found, one)), `is not one of ${brief(oneOf)}`)
  if (names === 'close,within' && typeof close === 'number' && typeof within === 'number')
    return leafTest(
      (found) => typeof found === 'number' && Math.abs(found - close) <= within,
      `is not within ${within} of ${close}`,
    )
  return undefined
}

/** Compares data in which nothing is a rule. */
function exactly(where: string, expected: Json): InputTest {
  if (Array.isArray(expected)) return arrayTest(expected.map((one: Json) => exactly(where, one)))
  if (isPlainObject(expected)) {
    const fields = Object.entries(expected).map(([name, one]) => [name, exactly(where, one as Json)] as const)
    return objectTest(fields, true)
  }
  return inputTest(where, expected, 'equal')
}

function leafTest(holds: (found: Json | undefined) => boolean, problem: string): InputTest {
  return (found, report, path = '') => {
    if (holds(found)) return true
    report?.(`${path}${found === undefined ? 'is missing' : `${problem}, but ${brief(found)}`}`)
    return false
  }
}

function arrayTest(elements: readonly InputTest[]): InputTest {
  return (found, report, path = '') => {
    if (!Array.isArray(found) || found.length !== elements.length) {
      report?.(
        `${path}${found === undefined ? 'is missing' : `is not an array of ${elements.length}, but ${brief(found)}`}`,
      )
      return false
    }
    return allHold(elements, report, (test, index) => test(found[index], report, placeOf(report, path, index)))
  }
}

function objectTest(fields: readonly (readonly [name: string, test: InputTest])[], closed: boolean): InputTest {
  const known = new Set(fields.map(([name]) => name))
  return (found, report, path = '') => {
    if (!isPlainObject(found)) {
      report?.(`${path}${found === undefined ? 'is missing' : `is not an object, but ${brief(found)}`}`)
      return false
    }
    const given = found as { readonly [name: string]: Json }
    const field = (name: string) => (Object.hasOwn(given, name) ? given[name] : undefined)
    const hold = allHold(fields, report, ([name, test]) => test(field(name), report, placeOf(report, path, name)))
    if (!closed || (!hold && report === undefined)) return hold
    const names = Object.keys(given)
    if (hold && names.length === known.size) return true
    const more = names.filter((name) => !known.has(name))
    for (const name of more) report?.(`${placeOf(report, path, name)}is not expected`)
    return hold && more.length === 0
  }
}

/** Stops at the first failure unless there is a report. */
function allHold<One>(
  all: readonly One[],
  report: Report | undefined,
  holds: (one: One, index: number) => boolean,
): boolean {
  if (report === undefined) return all.every(holds)
  return all.map(holds).every(Boolean)
}

function placeOf(report: Report | undefined, path: string, step: string | number): string {
  return report === undefined ? '' : `${path.trimEnd()}/${pointerSegment(String(step))} `
}

function sameJson(one: Json | undefined, other: Json | undefined): boolean {
  return one === other || canonicalJson(one) === canonicalJson(other)
}

function containsJson(found: Json | undefined, part: Json): boolean {
  if (typeof found === 'string' && typeof part === 'string') return found.includes(part)
  if (Array.isArray(found) && Array.isArray(part)) return part.every((one) => found.some((has) => sameJson(has, one)))
  if (!isPlainObject(found) || !isPlainObject(part)) return sameJson(found, part)
  const given = found as { readonly [name: string]: Json }
  return Object.entries(part).every(
    ([name, one]) => Object.hasOwn(given, name) && containsField(given[name], one as Json),
  )
}

/** Fields must be equal, except that objects may have further fields. */
function containsField(found: Json | undefined, part: Json): boolean {
  return isPlainObject(part) ? containsJson(found, part) : sameJson(found, part)
}
