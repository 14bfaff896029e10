import { type AgentOutput, runJudge, structuredOutput } from '@jurist/core'
import { outputJson } from '@jurist/core/answers'
import type { StandardSchema } from '@jurist/core/llm'
import { aContext } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'

const judged = (agentOutput: AgentOutput | string, ...given: Parameters<typeof outputJson>) =>
  runJudge(outputJson(...given), aContext({ agentOutput }))

/** A schema as libraries make them: the steps of a path are keys, or objects that have a key. */
const schemaOf = (
  problemsOf: (value: never) => readonly (readonly [path: readonly PropertyKey[], message: string])[],
) =>
  ({
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: (value) => {
        const issues = problemsOf(value as never).map(([path, message], index) => ({
          message,
          path: index % 2 === 0 ? path : path.map((key) => ({ key })),
        }))
        return issues.length === 0 ? { value } : { issues }
      },
    },
  }) satisfies StandardSchema

const city = schemaOf(({ city, 'a/b': counts = [] }: { city: string; 'a/b'?: unknown[] }) => [
  ...(city.length < 2 ? [[['city'], 'is too short'] as const] : []),
  ...counts.flatMap((count, at) => (typeof count === 'number' ? [] : [[['a/b', at], 'is no count'] as const])),
])

describe('without a schema', () => {
  test.each<readonly [string, string, string]>([
    ['an object', '{"a": [1, null, "x"]}', 'pass'],
    ['a string', '"x"', 'pass'],
    ['spaces around it', ' \n1\n', 'pass'],
    ['prose', 'It is {"a": 1}', 'fail'],
    ['a fence', '```json\n{}\n```', 'fail'],
    ['nothing', '', 'fail'],
    ['NaN', 'NaN', 'fail'],
    ['Infinity', '[Infinity]', 'fail'],
    ['a comma too many', '[1,]', 'fail'],
    ['single quotes', "{'a': 1}", 'fail'],
    ['two values', '{} {}', 'fail'],
    ['a key twice', '{"a": 1, "b": {"a": 2}, "a": 3}', 'fail'],
    ['a key in two objects', '{"a": {"a": {"a": 1}}}', 'pass'],
    ['__proto__', '{"__proto__": 1}', 'fail'],
    ['__proto__, escaped', '{"\\u005f_proto__": 1}', 'fail'],
    ['200 levels', '['.repeat(200) + ']'.repeat(200), 'pass'],
    ['100,000 levels', '['.repeat(100_000) + ']'.repeat(100_000), 'fail'],
    ['100,001 values', `[${'1,'.repeat(100_000)}1]`, 'fail'],
    ['1,000,001 characters', `"${'a'.repeat(1_000_000)}"`, 'fail'],
  ])('%s', async (_, text, status) => {
    expect((await judged(text)).status).toBe(status)
  })
  test('data is JSON already', async () => {
    expect((await judged(structuredOutput({ a: 1 }))).status).toBe('pass')
  })
  test('silence is a fail', async () => {
    expect((await runJudge(outputJson(), aContext())).checks[0]?.name).toBe('output_present')
  })
  test('says what is wrong', async () => {
    expect(await judged('{"a": 1, "a": 2}')).toMatchObject({
      reasoning: 'the JSON of the output has the key "a" twice',
      checks: [{ name: 'json-ambiguous' }],
      metadata: { unjudgeable: 'json-ambiguous' },
    })
  })
})

describe('in a fence, if declared', () => {
  test.each<readonly [string, string, string]>([
    ['with prose around it', 'Here it is:\n\n```json\n{"a": 1}\n```\nDone.', 'pass'],
    ['or without a fence', '{"a": 1}', 'pass'],
    ['in capitals', '```JSON\n1\n```', 'pass'],
    ['two fences', '```json\n1\n```\n```json\n1\n```', 'fail'],
    ['a fence without an end', '```json\n1', 'fail'],
    ['another language', '```js\n1\n```', 'fail'],
    ['no JSON in it', '```json\nnone\n```', 'fail'],
  ])('%s', async (_, text, status) => {
    expect((await judged(text, undefined, { fenced: true })).status).toBe(status)
  })
})

describe('with a schema', () => {
  test('each problem is a check, by its JSON pointer', async () => {
    const judgment = await judged('{"city": "P", "a/b": [1, "2"]}', city)
    expect(judgment.checks.map(({ name, passed }) => [name, passed])).toEqual([
      ['output_json', false],
      ['/city', false],
      ['/a~1b/1', false],
    ])
    expect(judgment.reasoning).toMatch(/^the JSON of the output does not follow the schema: \/city: .* \(and 1 more\)$/)
    expect((await judged('{"city": "Paris"}', city)).status).toBe('pass')
  })
  test('at most 20 problems become checks', async () => {
    const judgment = await judged(
      JSON.stringify(Array.from({ length: 50 }, () => 'x')),
      schemaOf((values: unknown[]) => values.map((_, at) => [[at], 'is no number'])),
    )
    expect(judgment).toMatchObject({ status: 'fail', metadata: { problems: 50 } })
    expect(judgment.checks).toHaveLength(21)
  })
  test('a schema that breaks is an error, and no fail', async () => {
    const broken: StandardSchema = {
      '~standard': { version: 1, vendor: 'test', validate: () => Promise.reject(new TypeError('broken')) },
    }
    expect((await judged('1', broken)).status).toBe('error')
  })
})

test('a JSON Schema is refused with what to do', () => {
  expect(() => outputJson({ type: 'object' } as never)).toThrow(/jsonSchema\(\) of jurist\/answers/)
  expect(() => outputJson(undefined, { fence: true } as never)).toThrow(/unknown option "fence"/)
})
