import { readFileSync } from 'node:fs'
import { experimentJsonSchemas, experimentReference } from '@jurist/experiment/internal'
import { expect, test } from 'vitest'

const guide = readFileSync(new URL('../../../../docs/guide/configuration.md', import.meta.url), 'utf8')

test('the guide lists every option of an experiment as it is declared', () => {
  const [, section = ''] = guide.split('## Keys of an experiment\n')
  const [table = ''] = section.split('\n## ')
  const rows = table.split('\n').filter((line) => line.startsWith('| `'))
  const declared = experimentReference.map(
    ({ name, description, standard }) => `| \`${name}\` | ${description} | ${standard} |`,
  )
  // A config may also describe a sandbox and a setup, from which the command makes a provision.
  expect(rows.filter((row) => !/^\| `(?:sandbox|setup)` \|/.test(row))).toEqual(declared)
})

test('the JSON Schema has every option that a document can hold, and refuses what a run would refuse', async () => {
  const schemas = await experimentJsonSchemas()
  const names = experimentReference.map(({ name }) => name)
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
