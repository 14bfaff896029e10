import { dereference, type OutputUnit, type Schema, type SchemaDraft, validate } from '@cfworker/json-schema'
import { JuristError } from '@jurist/core'
import { failureOf, giveInfo, isPlainObject, optionInvalid, printed } from '@jurist/core/internal'
import type { StandardSchema } from '@jurist/core/llm'
import { isOverLimit, withProcessorLimit } from '@jurist/kit/processor-limit'
import { regularFileText } from '@jurist/kit/regular-file'

const budgetMs = 2_000

/**
 * Converts a JSON Schema to a Standard Schema, for `outputJson`, `json` and other functions that accept one. Supports
 * the drafts 4, 7, 2019-09 and 2020-12 (the default), selected by `$schema`. No code is generated, and nothing is
 * loaded from elsewhere: `$ref` refers only to parts of the schema itself. A value that takes longer than 2 seconds to
 * check does not match the schema.
 *
 * @throws `option-invalid` with the place, for an invalid JSON Schema
 *
 * @example
 * import { jsonSchema, outputJson } from 'jurist/answers'
 *
 * outputJson(jsonSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }))
 */
export function jsonSchema(schema: unknown): StandardSchema {
  if (!isPlainObject(schema) && typeof schema !== 'boolean')
    return refuse('', `must be an object (got ${printed(schema)})`)
  const copy = structuredClone(schema) as Schema | boolean
  const unfit = problemsOf(copy, rulesOfSchemas, '2020-12')
  const problem = unfit.find(({ keyword }) => keyword === 'enum') ?? unfit[0]
  if (problem !== undefined) return refuse(problem.instanceLocation, problem.error)
  const lookup = lookupOf(copy)
  const draft = draftOf(isPlainObject(schema) ? schema['$schema'] : undefined)
  const standard: StandardSchema = {
    '~standard': {
      version: 1,
      vendor: 'jurist',
      validate(value) {
        const problems = inTime(() => problemsOf(value, copy, draft, lookup))
        if (problems === undefined) return { issues: [{ message: `takes longer than ${budgetMs} ms to check` }] }
        if (problems.length === 0) return { value }
        return {
          issues: problems.map(({ instanceLocation, error }) => ({
            message: error === 'False boolean schema.' ? 'is not allowed' : error,
            path: stepsOf(instanceLocation),
          })),
        }
      },
    },
  }
  return giveInfo(standard, { options: { schema } })
}

function refuse(location: string, problem: string): never {
  const place = location === '' || location === '#' ? '' : ` at ${location}`
  optionInvalid('schema', `Not a JSON Schema${place}: ${problem.replace(/\.$/, '')}.`)
}

type Lookup = ReturnType<typeof dereference>

/**
 * Returns the problems of a value. Of nested problems, only the innermost are returned, since they contain the cause.
 */
function problemsOf(
  value: unknown,
  schema: Schema | boolean,
  draft: SchemaDraft,
  lookup: Lookup = dereference(schema as Schema),
): readonly OutputUnit[] {
  const { errors } = validate(value, schema, draft, lookup, false)
  const explained = new Set(
    errors.flatMap(({ instanceLocation: at, keyword }) => (wrapping.has(keyword) ? [] : upFrom(at))),
  )
  return errors.filter(({ instanceLocation, keyword }) => !(wrapping.has(keyword) && explained.has(instanceLocation)))
}

/** Returns a location and its parents. */
function upFrom(location: string): readonly string[] {
  const steps = location.split('/')
  return steps.map((_, index) => steps.slice(0, index + 1).join('/'))
}

/** Keywords that only report a problem inside them. */
const wrapping = new Set([
  'properties',
  'patternProperties',
  'additionalProperties',
  'items',
  'prefixItems',
  'allOf',
  '$ref',
])

/**
 * Returns every part of the schema by its address. `$ref` and patterns are checked here, since they would otherwise
 * throw at the first answer.
 */
function lookupOf(schema: Schema | boolean): Lookup {
  try {
    const lookup = dereference(schema as Schema)
    for (const part of Object.values(lookup)) {
      const { $ref, __absolute_ref__: target = $ref, pattern, patternProperties = {} } = Object(part) as Schema
      if (target !== undefined && lookup[target] === undefined) refuse('', `$ref ${printed($ref)} leads nowhere`)
      for (const source of [pattern ?? '', ...Object.keys(patternProperties)]) new RegExp(source, 'u')
    }
    return lookup
  } catch (thrown) {
    if (JuristError.is(thrown)) throw thrown
    return refuse('', failureOf(thrown).message)
  }
}

function draftOf(dialect: unknown): SchemaDraft {
  const drafts: readonly (readonly [RegExp, SchemaDraft])[] = [
    [/draft-04/, '4'],
    [/draft-0[67]/, '7'],
    [/2019-09/, '2019-09'],
  ]
  return drafts.find(([pattern]) => typeof dialect === 'string' && pattern.test(dialect))?.[1] ?? '2020-12'
}

/** Splits `#/a~1b/0` into its steps. */
function stepsOf(location: string): readonly string[] {
  const segments = location.split('/').slice(1)
  return segments.map((segment) => decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~'))
}

/**
 * Returns the result of a check; `undefined` if it takes too long, since a pattern of the schema may be slow and a
 * value large.
 */
function inTime<Result>(check: () => Result): Result | undefined {
  try {
    return withProcessorLimit(budgetMs, check)
  } catch (thrown) {
    if (isOverLimit(thrown)) return undefined
    throw thrown
  }
}

const itself: Schema = { $ref: '#' }
const names: Schema = { type: 'array', items: { type: 'string' } }
const byName: Schema = { type: 'object', additionalProperties: itself }
const several: Schema = { type: 'array', items: itself, minItems: 1 }
const count: Schema = { type: 'integer', minimum: 0 }
const typeName: Schema = { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] }

/** The schema of JSON Schemas: the rules that the drafts 4 to 2020-12 have in common. */
const rulesOfSchemas: Schema = {
  type: ['object', 'boolean'],
  properties: {
    type: { anyOf: [typeName, { type: 'array', items: typeName, minItems: 1 }] },
    enum: { type: 'array' },
    required: names,
    items: { anyOf: [itself, { type: 'array', items: itself }] },
    ...Object.fromEntries(['properties', 'patternProperties', '$defs', 'definitions'].map((name) => [name, byName])),
    ...Object.fromEntries(['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((name) => [name, several])),
    ...Object.fromEntries(
      ['additionalProperties', 'not', 'if', 'then', 'else', 'contains'].map((name) => [name, itself]),
    ),
    ...Object.fromEntries(['minLength', 'maxLength', 'minItems', 'maxItems'].map((name) => [name, count])),
    ...Object.fromEntries(['minProperties', 'maxProperties'].map((name) => [name, count])),
    ...Object.fromEntries(['minimum', 'maximum', 'multipleOf'].map((name) => [name, { type: 'number' }])),
    ...Object.fromEntries(['pattern', 'format', '$ref', '$id', '$schema'].map((name) => [name, { type: 'string' }])),
    uniqueItems: { type: 'boolean' },
  },
}

/**
 * Returns the schema of a config value: a JSON Schema, or the path of a JSON file with one.
 *
 * @param placed returns the absolute form of a path
 */
export async function describedSchema(value: unknown, placed: (path: string) => string): Promise<StandardSchema> {
  return jsonSchema(typeof value === 'string' ? await schemaIn(value, placed(value)) : value)
}

async function schemaIn(path: string, file: string): Promise<unknown> {
  try {
    return JSON.parse(await regularFileText(file))
  } catch (thrown) {
    const { code, message } = failureOf(thrown)
    const problem = code === 'ENOENT' ? 'there is no such file' : message
    const remedy = 'Give the path of a JSON file with a JSON Schema, relative to the config.'
    optionInvalid('schema', `schema: ${path}: ${problem}. ${remedy}`)
  }
}
