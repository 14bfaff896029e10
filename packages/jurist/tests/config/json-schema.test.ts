import { runJudge, structuredOutput } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { jsonSchema, outputJson } from 'jurist/answers'
import { describe, expect, test } from 'vitest'
import { project } from '../project.js'

const city = {
  type: 'object',
  properties: {
    city: { type: 'string', minLength: 2 },
    'a/b': { type: 'array', items: { $ref: '#/$defs/count' } },
  },
  required: ['city'],
  additionalProperties: false,
  $defs: { count: { type: 'integer', minimum: 0 } },
}

const problems = async (schema: unknown, value: unknown) => {
  const judgment = await runJudge(outputJson(jsonSchema(schema)), aContext({ agentOutput: structuredOutput(value) }))
  return judgment.checks.filter(({ passed }) => !passed).map(({ name }) => name)
}

describe('a JSON Schema', () => {
  test.each<readonly [unknown, readonly string[]]>([
    [{ city: 'Paris', 'a/b': [1] }, []],
    [{ city: 'P' }, ['output_json', '/city']],
    [{}, ['output_json', 'value']],
    [{ city: 'Paris', zip: 1 }, ['output_json', '/zip']],
    [{ city: 'Paris', 'a/b': [1, -1, 'x'] }, ['output_json', '/a~1b/1', '/a~1b/2']],
    ['Paris', ['output_json', 'value']],
  ])('finds in %j: %j', async (value, names) => {
    expect(await problems(city, value)).toEqual(names)
  })

  test.each<readonly [unknown, string]>([
    [{ $schema: 'http://json-schema.org/draft-04/schema#', minimum: 1, exclusiveMinimum: true }, 'draft 4'],
    [{ $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] }, 'draft 7'],
    [{ $schema: 'https://json-schema.org/draft/2019-09/schema', dependentRequired: { a: ['b'] } }, '2019-09'],
    [{ prefixItems: [{ type: 'string' }] }, '2020-12'],
    [true, 'true'],
  ])('%j is one of %s', async (schema) => {
    expect(() => jsonSchema(schema)).not.toThrow()
  })

  test.each<readonly [unknown, RegExp]>([
    ['x', /must be an object \(got "x"\)/],
    [{ type: 'strng' }, /at #\/type: .*"string"/],
    [{ type: 'object', required: true }, /at #\/required/],
    [{ properties: { a: { minLength: -1 } } }, /at #\/properties\/a\/minLength/],
    [{ $ref: '#/nowhere' }, /\$ref "#\/nowhere" leads nowhere/],
    [{ $ref: 'https://example.com/schema' }, /leads nowhere/],
    [{ pattern: '(' }, /Unterminated group/],
  ])('%j is refused, naming the place', (schema, message) => {
    expect(() => jsonSchema(schema)).toThrow(message)
  })

  test('is copied: later changes do not matter', async () => {
    const schema = { type: 'string' }
    const standard = jsonSchema(schema)
    schema.type = 'number'
    expect(await standard['~standard'].validate('x')).toEqual({ value: 'x' })
  })

  test('whose check takes too long for a value refuses it', async () => {
    expect(await problems({ pattern: '^(a+)+$' }, `${'a'.repeat(40)}b`)).toEqual(['output_json', 'value'])
  })
})

test('judges of answers in a config of the command: inline, by path, and with what is wrong', async () => {
  const config = (schema: string) => `experiments:
  demo:
    dataset: [{ id: a, task: x, expectedOutput: "The capital is Paris" }]
    agent: { command: [echo, '{"city": "Paris"}'] }
    jury:
      judges:
        inline: { type: output-json, schema: { type: object, required: [city] } }
        file: { type: output-json, schema: ${schema} }
        words: { type: similar-to, by: token-f1, threshold: 0.2 }
        same: { type: matches-expected, by: includes }
        quick: { type: within, ms: 600000 }
`
  using made = project({ 'jurist.config.yaml': config('city.json'), 'city.json': JSON.stringify(city) })
  const { stdout } = await made.jurist('run', '--json')
  const { individual } = JSON.parse(stdout).results[0].items[0].verdict
  const statuses = Object.entries<{ status: string }>(individual).map(([name, { status }]) => `${name} ${status}`)
  expect(statuses).toEqual(['inline pass', 'file pass', 'words pass', 'same fail', 'quick pass'])
  made.write({ 'jurist.config.yaml': config('nowhere.json') })
  const refused = await made.jurist('validate')
  expect(`${refused.stdout}${refused.stderr}`).toMatch(/nowhere\.json: there is no such file/)
  expect(refused.code).not.toBe(0)
})
