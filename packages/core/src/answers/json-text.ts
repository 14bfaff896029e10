import { brief, isObject, type Json, type JsonObject, pointerSegment } from '../json.js'
import type { Check } from '../judgment-record.js'
import type { AgentOutput } from '../output.js'
import { maxTextLength, plainText } from './expected-answer.js'
import { isCloseTo, type Tolerance } from './numbers.js'

/** The JSON of an answer, or why it cannot be judged. `code` is the name of a check. */
type JsonRead =
  | { readonly value: Json }
  | { readonly code: 'json-invalid' | 'json-ambiguous' | 'too-large'; readonly problem: string }

const maxDepth = 200
const maxValues = 100_000

/**
 * Reads the data of the answer, or its whole text, or with `fenced` its one ```json block. Refuses duplicate keys,
 * since parsers differ in which one they take, and also the key `__proto__`, more than 200 levels and more than 100,000
 * values.
 */
export function readJson(output: AgentOutput, fenced: boolean): JsonRead {
  if (output.type === 'structured') return withinLimits(output.data)
  const text = plainText(output)
  if (text.length > maxTextLength)
    return tooLarge(`the output has ${text.length} characters, and at most ${maxTextLength} are judged`)
  const whole = parsed(text)
  if (!fenced || !('code' in whole) || whole.code !== 'json-invalid') return whole
  const blocks = fencedBlocks(text)
  if (blocks.length > 1) return { code: 'json-ambiguous', problem: `the output has ${blocks.length} JSON blocks` }
  return blocks[0] === undefined ? whole : parsed(blocks[0])
}

function parsed(text: string): JsonRead {
  try {
    const value = JSON.parse(text) as Json
    const repeated = keyProblem(text)
    return repeated === undefined ? withinLimits(value) : { code: 'json-ambiguous', problem: repeated }
  } catch {
    return { code: 'json-invalid', problem: 'the output is not JSON' }
  }
}

function tooLarge(problem: string): JsonRead {
  return { code: 'too-large', problem }
}

/** Goes level by level, so that no depth exhausts the stack. */
function withinLimits(value: Json): JsonRead {
  let level: readonly Json[] = [value]
  let count = 0
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return tooLarge(`the JSON of the output is nested deeper than ${maxDepth} levels`)
    count += level.length
    if (count > maxValues) return tooLarge(`the JSON of the output has more than ${maxValues} values`)
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  }
  return { value }
}

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/gsu

function keyProblem(text: string): string | undefined {
  const open: Set<string>[] = []
  let last = ''
  for (const [found] of text.matchAll(token)) {
    if (found === '{' || found === '[') open.push(new Set())
    else if (found === '}' || found === ']') open.pop()
    else if (found === ':') {
      const key = JSON.parse(last) as string
      if (key === '__proto__') return 'the JSON of the output has the key "__proto__"'
      const keys = open.at(-1)
      if (keys?.has(key)) return `the JSON of the output has the key ${JSON.stringify(key.slice(0, 60))} twice`
      keys?.add(key)
    } else last = found
  }
  return undefined
}

/** The content between a line "```json" and the next line "```". */
function fencedBlocks(text: string): readonly string[] {
  const blocks: string[] = []
  let lines: string[] | undefined
  for (const line of text.split('\n')) {
    const mark = line.trim().toLowerCase()
    if (lines === undefined && mark === '```json') lines = []
    else if (lines !== undefined && mark === '```') {
      blocks.push(lines.join('\n'))
      lines = undefined
    } else lines?.push(line)
  }
  return blocks
}

/** The leaves of a value are strings, numbers, booleans, null, and empty objects and arrays. */
interface JsonDifference {
  readonly matched: number
  /** The number of leaves in either value. */
  readonly total: number
  /** A failed check for each of the first differences, named by its JSON pointer. */
  readonly checks: readonly Check[]
  /** The number of differences. */
  readonly differing: number
}

const maxChecks = 20

/** The order of keys does not count, that of array elements does. */
export function jsonDifference(found: Json, expected: Json, tolerance: Tolerance): JsonDifference {
  const checks: Check[] = []
  let [matched, total, differing] = [0, 0, 0]
  for (const { path, message, leaves } of places(found, expected, '', tolerance)) {
    total += leaves
    if (message === undefined) matched += leaves
    else if (++differing <= maxChecks) checks.push({ name: path === '' ? 'value' : path, passed: false, message })
  }
  return { matched, total, checks, differing }
}

interface ComparedPlace {
  readonly path: string
  /** Absent where the values are equal. */
  readonly message?: string
  readonly leaves: number
}

/** Descends as long as both values have keys. */
function* places(
  found: Json | undefined,
  expected: Json | undefined,
  path: string,
  tolerance: Tolerance,
): Generator<ComparedPlace> {
  if (found === undefined || expected === undefined) {
    const message = found === undefined ? 'is missing' : 'is not expected'
    yield { path, message, leaves: leavesIn(found ?? expected ?? null) }
  } else if (isBranch(found) && isBranch(expected) && Array.isArray(found) === Array.isArray(expected)) {
    for (const key of [...new Set([...Object.keys(expected), ...Object.keys(found)])])
      yield* places(valueAt(found, key), valueAt(expected, key), `${path}/${pointerSegment(key)}`, tolerance)
  } else if (isSame(found, expected, tolerance)) yield { path, leaves: 1 }
  else {
    const message = `is ${brief(found)}, expected ${brief(expected)}`
    yield { path, message, leaves: Math.max(leavesIn(found), leavesIn(expected)) }
  }
}

type Branch = JsonObject | readonly Json[]

/** Empty objects and arrays count as leaves. */
function isBranch(value: Json): value is Branch {
  return isObject(value) && Object.keys(value).length > 0
}

function valueAt(branch: Branch, key: string): Json | undefined {
  return Object.hasOwn(branch, key) ? (branch as JsonObject)[key] : undefined
}

function isSame(one: Json, other: Json, tolerance: Tolerance): boolean {
  if (typeof one === 'number' && typeof other === 'number') return one === other || isCloseTo(one, other, tolerance)
  if (!isObject(one) || !isObject(other)) return one === other
  return !isBranch(one) && !isBranch(other) && Array.isArray(one) === Array.isArray(other)
}

function leavesIn(value: Json): number {
  return isBranch(value) ? Object.values(value).reduce<number>((sum, one) => sum + leavesIn(one), 0) : 1
}
