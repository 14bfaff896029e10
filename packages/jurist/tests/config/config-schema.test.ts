import { calibrateRules, cascadeRules, experimentReference } from '@jurist/experiment/internal'
import { expect, test } from 'vitest'
import { judgesByType } from '../../src/config/catalog.js'
import { configEntries, isConfig } from '../../src/config/config-options.js'
import { configSchema } from '../../src/config/config-schema.js'
import { voteChoices } from '../../src/config/described-choices.js'
import { combinators } from '../../src/config/described-jury.js'
import { collectIssues } from '../../src/config/problems.js'

interface Schema {
  readonly properties: Readonly<Record<string, Schema>>
  readonly description?: string
  readonly const?: string
  readonly enum?: readonly string[]
  readonly required?: readonly string[]
  readonly oneOf: readonly Schema[]
  readonly additionalProperties: unknown
  readonly $defs: Readonly<Record<string, Schema>>
}
const schema = JSON.parse(await configSchema()) as Schema
const { experiment, calibration, vote, jury, agent } = schema.$defs

test('the JSON Schema has every key of a config that a document can write', () => {
  expect(Object.keys(schema.properties)).toEqual(Object.keys(configEntries).filter((name) => name !== 'reporters'))
  expect(Object.values(schema.properties).filter(({ description = '' }) => !/^[A-Z].*\.$/.test(description))).toEqual(
    [],
  )
  expect(schema.properties['thresholds']).toMatchObject({
    additionalProperties: false,
    properties: { passRate: { type: 'number', minimum: 0, maximum: 1 }, minimumDecided: { type: 'integer' } },
  })
})

test('it has every option of an experiment that a document can write, a sandbox and a setup', () => {
  const onlyInPrograms = ['name', 'provision', 'hooks', 'askThrough', 'store']
  const options = experimentReference()
    .map(({ name }) => name)
    .filter((name) => !onlyInPrograms.includes(name))
  expect(Object.keys(experiment?.properties ?? {}).sort()).toEqual([...options, 'sandbox', 'setup'].sort())
  expect(experiment?.additionalProperties).toBe(false)
  expect(agent?.oneOf[0]?.properties).toMatchObject({ read: { enum: ['text', 'json', 'json-lines'] }, stdin: {} })
})

test('it has every vote and every judge with its options', async () => {
  const formsOf = (found: Schema | undefined, type: string) =>
    found?.oneOf.filter((one) => (one.const ?? one.properties?.['type']?.const) === type) ?? []
  for (const [name, { options }] of Object.entries(voteChoices)) {
    const [alone, whole] = formsOf(vote, name)
    expect(alone?.const).toBe(name)
    expect(Object.keys(whole?.properties ?? {})).toEqual(['type', ...Object.keys(options)])
  }
  for (const [type, { options, required }] of await judgesByType()) {
    const [whole] = formsOf(jury, type)
    expect(Object.keys(whole?.properties ?? {})).toEqual(['type', ...Object.keys(options), 'mustDecide'])
    expect(whole?.required).toEqual(['type', ...required])
    expect(whole?.additionalProperties).toBe(false)
  }
  for (const type of Object.keys(combinators)) expect(formsOf(jury, type)).toHaveLength(1)
})

test('every option has a description and a type, wherever it is', () => {
  const problems: string[] = []
  let seen = 0
  const walk = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'properties')
        for (const [option, found] of Object.entries<Schema>(inner)) {
          seen++
          const { description = '', ...rest } = found
          if (!/^[A-Z].*[.]$/s.test(description)) problems.push(`${path}.${option}: ${description}`)
          if (Object.keys(rest).length === 0) problems.push(`${path}.${option} may be anything`)
        }
      walk(inner, `${path}.${name}`)
    }
  }
  walk(schema, '')
  expect(seen).toBeGreaterThan(200)
  expect(problems).toEqual([])
})

test('a calibration has every option that a document can write', () => {
  const onlyInPrograms = [
    'askThrough',
    'name',
    'input',
    'expected',
    'store',
    'swap',
    'unswap',
    'annotators',
    'cluster',
    'signal',
    'onEvent',
  ]
  const options = Object.keys(calibrateRules).filter((name) => !onlyInPrograms.includes(name))
  expect(Object.keys(calibration?.properties ?? {}).sort()).toEqual(
    [...options, 'judges', 'recorded', ...Object.keys(cascadeRules)].sort(),
  )
})

test.each<[unknown, readonly string[]]>([
  [{}, []],
  [{ store: 'results', envFile: { path: '.env', required: true }, thresholds: { scores: { 'a/b': 0.5 } } }, []],
  [{ experiments: { a: () => ({}), b: { name: 'b' } }, reporters: [() => undefined] }, []],
  [7, [' must be an object (got 7).']],
  [{ experimets: {} }, ['experimets is not a known key. Did you mean "experiments"?']],
  [{ experiments: { a: 7 } }, ['experiments.a must be an object or a function (got 7).']],
  [{ experiments: { a: { name: 'b' } } }, ['experiments.a.name must be "a", the key. Remove "name".']],
  [{ juries: { 7: () => true } }, ['juries.7 is an integer as a name. Use a name with a letter.']],
  [{ juries: { a: {} } }, ['juries.a must be a function']],
  [
    { thresholds: { passRate: 80 } },
    ['thresholds.passRate must be a number from 0 to 1 (got 80). A rate of 80 % is 0.8.'],
  ],
  [{ thresholds: { pasRate: 0.8 } }, ['thresholds.pasRate is not a known key. Did you mean "passRate"?']],
  [{ store: '' }, ['store must be a directory, a result store or a function (got "").']],
  [{ reporters: [7] }, ['reporters[0] must be a function (got 7).']],
  [{ envFile: 7 }, ['envFile must be a path, or an object with path and required (got 7).']],
])('%j as a config', (config, problems) => {
  const { issues, report } = collectIssues()
  expect(isConfig(config, report)).toBe(problems.length === 0)
  const lines = issues.map(({ path, problem, remedy }) => `${path} ${problem} ${remedy}`)
  expect(lines).toEqual(problems.map((problem) => expect.stringContaining(problem)))
})
