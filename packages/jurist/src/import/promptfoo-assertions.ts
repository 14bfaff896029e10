import type { Json } from '@jurist/core'
import { isPlainObject, printed } from '@jurist/core/internal'
import { filledTemplate, templateProblem } from './promptfoo-template.js'

/** A judge as a config describes it. */
export type DescribedJudge = Readonly<Record<string, unknown>>

/** The judge that an assertion becomes, or the reason why it becomes none. */
export type Moved = { readonly judge: DescribedJudge } | { readonly problem: string }

/** The name that an imported suite gives the model of its graders. */
export const grader = 'grader'

type Fields = Readonly<Record<string, unknown>>

/**
 * The judge that says the same as an assertion of promptfoo. Whatever is not exactly the same is a problem: a judge that is
 * nearly right would change verdicts unseen.
 */
export function movedAssertion(given: unknown, vars: Fields): Moved {
  if (!isPlainObject(given) || typeof given.type !== 'string')
    return { problem: `${printed(given)} is not an assertion` }
  const isNegated = given.type.startsWith('not-')
  const type = isNegated ? given.type.slice('not-'.length) : given.type
  if (given.transform !== undefined) return { problem: `${type} with "transform" has no counterpart` }
  if (type === 'assert-set') return movedSet(given, vars)
  const value = filledValue(given.value, vars)
  if ('problem' in value) return { problem: `the value of ${type} ${value.problem}` }
  const move = Object.hasOwn(moves, type) ? moves[type] : undefined
  const moved = move?.(value.value, given) ?? { problem: `${type} has no counterpart` }
  if ('problem' in moved || !isNegated) return moved
  return { judge: { type: 'not', judge: moved.judge } }
}

/** All assertions of a set must hold, or their weighted mean must reach the threshold. */
function movedSet({ assert, threshold }: Fields, vars: Fields): Moved {
  const moved = (Array.isArray(assert) ? assert : []).map((one) => movedAssertion(one, vars))
  const problem = moved.find((one) => 'problem' in one)
  if (problem !== undefined && 'problem' in problem) return { problem: `assert-set: ${problem.problem}` }
  if (threshold !== undefined) return { problem: 'assert-set with "threshold" has no counterpart' }
  return { judge: { type: 'all-of', judges: moved.flatMap((one) => ('judge' in one ? [one.judge] : [])) } }
}

type Move = (value: Json | undefined, assertion: Fields) => Moved | undefined

const needsText = (make: (text: string) => DescribedJudge): Move => {
  return (value) =>
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
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

/** What each assertion becomes. */
const moves: { readonly [type: string]: Move } = {
  equals: (value) =>
    typeof value === 'object' && value !== null
      ? { judge: { type: 'output-json', schema: { const: value } } }
      : needsText((equals) => ({ type: 'output-text', equals }))(value, {}),
  contains: needsText((text) => contains(text, false)),
  icontains: needsText((text) => contains(text, true)),
  'contains-all': several('all-of', false),
  'icontains-all': several('all-of', true),
  'contains-any': several('any-of', false),
  'icontains-any': several('any-of', true),
  'starts-with': needsText((text) => ({ type: 'output-text', matches: `^${escaped(text)}` })),
  regex: needsText((matches) => ({ type: 'output-text', matches })),
  'is-json': (value) => {
    if (value === undefined) return { judge: { type: 'output-json' } }
    return isPlainObject(value)
      ? { judge: { type: 'output-json', schema: value } }
      : { problem: `needs a schema in its place (got ${printed(value)})` }
  },
  cost: limit('costUsd'),
  latency: limit('ms'),
  'llm-rubric': graded,
  'model-graded-closedqa': graded,
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}

type Filled = { readonly value: Json | undefined } | { readonly problem: string }

/** The value of an assertion with the values of its variables. */
function filledValue(value: unknown, vars: Fields): Filled {
  const problems: string[] = []
  const fill = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(fill)
    if (isPlainObject(part)) return Object.fromEntries(Object.entries(part).map(([key, one]) => [key, fill(one)]))
    if (typeof part !== 'string') return part
    if (part.startsWith('file://')) problems.push(`is the file ${part}`)
    const problem = templateProblem(part)
    if (problem !== undefined) problems.push(problem)
    return filledTemplate(part, vars)
  }
  const filled = fill(value) as Json | undefined
  const [problem] = problems
  return problem === undefined ? { value: filled } : { problem }
}
