import type { Json } from '@jurist/core'
import { isPlainObject, printed } from '@jurist/core/internal'
import { embeddingServer } from './providers.js'
import { filledTemplate, templateProblem } from './template.js'
import { trajectoryMoves } from './trajectory.js'

/** A judge as a config describes it. */
export type DescribedJudge = Readonly<Record<string, unknown>>

/** The counterpart of an assertion, or the reason why none exists. */
export type Moved =
  | {
      readonly judge: DescribedJudge
      /** The value that the judge compares the answer with, if it is the expected output. */
      readonly expected?: string | readonly string[]
    }
  | { readonly problem: string }

/** The name of the graders' model in an imported config. */
export const grader = 'grader'

type Fields = Readonly<Record<string, unknown>>

/**
 * Converts an assertion of promptfoo to a judge with the same meaning. An assertion without an exact counterpart is a
 * problem: a judge that is nearly right would change verdicts unnoticed.
 *
 * @param graders the grading providers that the suite names
 */
export function movedAssertion(given: unknown, vars: Fields, graders?: unknown): Moved {
  if (!isPlainObject(given) || typeof given.type !== 'string')
    return { problem: `${printed(given)} is not an assertion` }
  const isNegated = given.type.startsWith('not-')
  const type = isNegated ? given.type.slice('not-'.length) : given.type
  const keys = type === 'assert-set' ? setKeys : askingModels.includes(type) ? [...usualKeys, 'provider'] : usualKeys
  const others = Object.keys(given).filter((key) => !keys.includes(key))
  if (others.length > 0) return { problem: `${given.type} with "${others[0]}" has no counterpart` }
  if (given.weight !== undefined && !(typeof given.weight === 'number' && given.weight >= 0))
    return { problem: `the weight of ${type} must be a number (got ${printed(given.weight)})` }
  if (type === 'assert-set') return movedSet(given, vars, graders)
  const value = filledValue(given.value, vars)
  if ('problem' in value) return { problem: `the value of ${type} ${value.problem}` }
  const isOwn = Object.hasOwn(moves, given.type)
  const move = isOwn ? moves[given.type] : Object.hasOwn(moves, type) ? moves[type] : undefined
  const moved = move?.(value.value, type === 'similar' ? { graders, ...given } : given) ?? {
    problem: `${given.type} has no counterpart`,
  }
  if ('problem' in moved || !isNegated || isOwn) return moved
  const isOther = unlikeNot.has(type) && !(type === 'is-json' && value.value === undefined)
  if (isOther && !(type === 'equals' && typeof value.value !== 'object'))
    return { problem: `${given.type} has no counterpart: it is not the opposite of ${type} in promptfoo` }
  return { judge: { type: 'not', judge: moved.judge } }
}

const setKeys = ['type', 'assert', 'threshold', 'weight', 'metric']
const usualKeys = ['type', 'value', 'threshold', 'weight', 'metric']
const askingModels = ['similar', 'llm-rubric', 'model-graded-closedqa']

/** With `not-`, these types ignore the negation or fail for text that is not JSON. */
const unlikeNot: ReadonlySet<string> = new Set(['equals', 'is-json', 'cost', 'latency', 'similar'])

/**
 * All assertions of a set must hold, or their weighted mean must reach the threshold. Each assertion counts as 0 or 1,
 * so with equal weights the threshold is a number of assertions; only all and one have counterparts.
 */
function movedSet({ assert, threshold }: Fields, vars: Fields, graders: unknown): Moved {
  const given = Array.isArray(assert) ? assert : []
  if (given.length === 0) return { problem: 'assert-set needs assertions' }
  const moved = given.map((one) => movedAssertion(one, vars, graders))
  const problem = moved.find((one) => 'problem' in one)
  if (problem !== undefined && 'problem' in problem) return { problem: `assert-set: ${problem.problem}` }
  if (moved.some((one) => 'expected' in one)) return { problem: 'assert-set with similar has no counterpart' }
  const weights = given.map((one) => weightOf(one))
  const counting = moved.flatMap((one, at) => ('judge' in one && (weights[at] ?? 1) > 0 ? [one.judge] : []))
  if (counting.length === 0) return { problem: 'assert-set where nothing has a weight has no counterpart' }
  if (threshold === undefined || threshold === null) return { judge: { type: 'all-of', judges: counting } }
  if (typeof threshold !== 'number')
    return { problem: `assert-set needs a number as "threshold" (got ${printed(threshold)})` }
  const isEqual = new Set(weights.filter((weight) => weight > 0)).size === 1
  const least = Math.ceil(threshold * counting.length - 1e-9)
  if (isEqual && least === 1) return { judge: { type: 'any-of', judges: counting } }
  if (isEqual && least === counting.length) return { judge: { type: 'all-of', judges: counting } }
  return {
    problem: 'assert-set with this "threshold" has no counterpart: neither all nor one of its assertions decide',
  }
}

/** The default weight is 1. Assertions of weight 0 do not decide. */
export function weightOf(assertion: unknown): number {
  const weight = (assertion as { readonly weight?: unknown } | null)?.weight
  return typeof weight === 'number' ? weight : 1
}

type Move = (value: Json | undefined, assertion: Fields) => Moved | undefined

/** Accepts a non-empty string or a number. */
const needsText = (make: (text: string) => DescribedJudge): Move => {
  return (value) =>
    (typeof value === 'string' && value !== '') || typeof value === 'number'
      ? { judge: make(String(value)) }
      : { problem: `needs a string (got ${printed(value)})` }
}

const contains = (text: string, ignoreCase: boolean): DescribedJudge => ({
  type: 'output-text',
  contains: text,
  ...(ignoreCase ? { ignoreCase } : {}),
})

const several = (type: 'all-of' | 'any-of', ignoreCase: boolean): Move => {
  return (value) => {
    if (typeof value === 'string' && value.includes('"'))
      return {
        problem:
          'with quotes in a string has no counterpart: versions of promptfoo read them differently. Write a list',
      }
    const texts = typeof value === 'string' ? value.split(',').map((one) => one.trim()) : value
    if (!Array.isArray(texts) || texts.length === 0)
      return { problem: `needs a list of strings (got ${printed(value)})` }
    return { judge: { type, judges: texts.map((one) => contains(String(one), ignoreCase)) } }
  }
}

const limit = (name: 'costUsd' | 'ms'): Move => {
  return (_, { threshold }) =>
    typeof threshold === 'number' ? { judge: { type: 'within', [name]: threshold } } : { problem: 'needs a threshold' }
}

const graded: Move = (value, { threshold, provider }) => {
  if (threshold !== undefined) return { problem: 'a rubric with "threshold" has no counterpart: ours is yes or no' }
  if (provider !== undefined) return { problem: 'a rubric with a "provider" of its own has no counterpart' }
  return typeof value === 'string'
    ? { judge: { type: 'criteria', criterion: value, model: grader } }
    : { problem: `needs a string (got ${printed(value)})` }
}

/** The cosine similarity of the vectors of the answer and the value. */
const similar: Move = (value, { threshold = 0.75, provider, graders }) => {
  const server = embeddingServer(provider ?? graders)
  if (server === undefined)
    return { problem: `similar with the provider ${printed(provider ?? graders)} has no counterpart` }
  const isList = Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')
  if (typeof value !== 'string' && !isList) return { problem: `needs a string (got ${printed(value)})` }
  if (typeof threshold !== 'number' || threshold <= 0 || threshold > 1)
    return { problem: `similar needs a threshold above 0 and up to 1 (got ${printed(threshold)})` }
  const judge = { type: 'similar-to', by: 'embedding', threshold, embed: server }
  return { judge, expected: value as string | readonly string[] }
}

const equals: Move = (value) => {
  if (typeof value === 'object' && value !== null) return { judge: { type: 'output-json', schema: { const: value } } }
  if (value === undefined) return { problem: 'needs a value' }
  return { judge: { type: 'output-text', equals: String(value) } }
}

/** The conversions of assertion types. A `not-` type has its own entry if it means more than the opposite. */
const moves: { readonly [type: string]: Move } = {
  equals,
  similar,
  contains: needsText((text) => contains(text, false)),
  icontains: needsText((text) => contains(text, true)),
  'contains-all': several('all-of', false),
  'icontains-all': several('all-of', true),
  'contains-any': several('any-of', false),
  'icontains-any': several('any-of', true),
  'starts-with': needsText((text) => ({
    type: 'output-text',
    matches: `^${text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}`,
  })),
  regex: (value) =>
    typeof value === 'string' && !isPattern(value)
      ? { problem: `has an invalid pattern: ${printed(value)}` }
      : needsText((matches) => ({ type: 'output-text', matches }))(value, {}),
  'is-json': (value) => {
    if (value === undefined) return { judge: { type: 'output-json' } }
    return isPlainObject(value)
      ? { judge: { type: 'output-json', schema: value } }
      : { problem: `needs a schema instead (got ${printed(value)})` }
  },
  cost: limit('costUsd'),
  latency: limit('ms'),
  'llm-rubric': graded,
  'model-graded-closedqa': graded,
  ...trajectoryMoves,
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source) instanceof RegExp
  } catch {
    return false
  }
}

type Filled = { readonly value: Json | undefined } | { readonly problem: string }

/** Fills the variables in the value of an assertion. */
function filledValue(value: unknown, vars: Fields): Filled {
  const problems: string[] = []
  const fill = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(fill)
    if (isPlainObject(part)) return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, fill(one)]))
    if (typeof part !== 'string') return part
    if (part.startsWith('file://')) problems.push(`is the file ${part}, which is not read`)
    const problem = templateProblem(part)
    if (problem !== undefined) problems.push(problem)
    return filledTemplate(part, vars)
  }
  const filled = fill(value) as Json | undefined
  const [problem] = problems
  return problem === undefined ? { value: filled } : { problem }
}
