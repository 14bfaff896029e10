import { experimentJsonSchemas, experimentReference } from '@jurist/experiment/internal'
import { expect, test } from 'vitest'

test('the JSON Schema has every option that a document can hold, and refuses what a run would refuse', async () => {
  const schemas = await experimentJsonSchemas()
  const names = experimentReference().map(({ name }) => name)
  expect(names.filter((name) => schemas[name] === undefined)).toEqual(['provision', 'hooks', 'askThrough', 'store'])
  expect(schemas).toMatchObject({
    concurrency: { type: 'integer', minimum: 1 },
    itemTimeoutMs: { type: 'number', exclusiveMinimum: 0 },
    preserveWorkspaces: { enum: ['all', 'failed', 'none'] },
    budget: { type: 'object', additionalProperties: false, properties: { usd: { type: 'number' } } },
    knowledge: { required: ['directory'] },
    variants: { type: 'object', additionalProperties: { properties: { model: { type: 'string' } } } },
    bail: { anyOf: [{ type: 'boolean' }, { type: 'integer' }] },
  })
  const needed = ['dataset']
  for (const [name, { description }] of Object.entries(schemas))
    expect(description, name).toMatch(needed.includes(name) ? /^[A-Z].+\.$/ : /Default: .+\.$/)
})
