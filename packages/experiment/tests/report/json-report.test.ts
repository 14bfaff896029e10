import { readFileSync, writeFileSync } from 'node:fs'
import { type Json, type JsonObject, jury, scored } from '@jurist/core'
import { toJsonSchema } from '@valibot/to-json-schema'
import type * as v from 'valibot'
import { expect, test } from 'vitest'
import { runExperiment } from '../../src/index.js'
import { jsonReport } from '../../src/report/index.js'
import { resultSchema as fields } from '../../src/report/result-schema.js'
import { summarize } from '../../src/result/index.js'
import { itemSchema } from '../../src/store/record-schemas.js'
import { judgmentSchema, publishedAs, usageSchema, verdictSchema } from '../../src/store/verdict-schemas.js'
import { anItem, aResult } from '../../src/testing/index.js'
import { anExperiment } from '../run-support.js'
import { hostileResult } from './hostile.js'

const file = new URL('../../schema/result.schema.json', import.meta.url)
const resultSchema: JsonObject = JSON.parse(readFileSync(file, 'utf8'))

const definitions = {
  item: itemSchema,
  verdict: verdictSchema,
  judgment: judgmentSchema,
  usage: usageSchema,
}
const nameOf = new Map<v.GenericSchema, string>(Object.entries(definitions).map(([name, schema]) => [schema, name]))

/** The JSON Schema of what reports contain. What readers do not look into is described as well. */
function jsonSchemaOf(schema: v.GenericSchema, named: boolean): JsonObject {
  return toJsonSchema(schema, {
    errorMode: 'ignore',
    ...(named ? { definitions } : {}),
    overrideSchema({ valibotSchema }) {
      const published = publishedAs.get(valibotSchema as v.GenericSchema)
      if (published === undefined) return valibotSchema.type === 'custom' ? { type: 'object' } : undefined
      const name = nameOf.get(published)
      if (name !== undefined) return { $ref: `#/$defs/${name}` }
      const { $schema, ...inside } = jsonSchemaOf(published, false)
      return inside
    },
  }) as JsonObject
}

test('the published schema follows from the schema of the records', () => {
  const { $schema, ...rest } = jsonSchemaOf(fields, true)
  const schema = { $schema: $schema ?? null, title: 'A run of Jurist and its summary', ...rest }
  // After a change on purpose: UPDATE_SCHEMA=1 npx vitest run packages/experiment/tests/report/json-report.test.ts
  if (process.env['UPDATE_SCHEMA'] === '1') writeFileSync(file, `${JSON.stringify(schema, null, 2)}\n`)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(schema)
})

const typeOf = (value: Json) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)

/** The faults of a value by the keywords that the schema uses; an unknown keyword is a fault. */
function faults(value: Json, schema: JsonObject, at = ''): readonly string[] {
  return Object.entries(schema).flatMap(([keyword, rule]) => keywordFaults(value, keyword, rule as never, schema, at))
}

function keywordFaults(value: Json, keyword: string, rule: never, schema: JsonObject, at: string): readonly string[] {
  const record = typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
  const wrong = (holds: boolean) =>
    holds ? [] : [`${at} ${keyword} ${JSON.stringify(rule)}: ${JSON.stringify(value)}`]
  switch (keyword) {
    case 'type': {
      const types = [rule].flat() as readonly string[]
      return wrong(types.includes(typeOf(value)) || (types.includes('integer') && Number.isInteger(value)))
    }
    case 'enum':
      return wrong((rule as readonly Json[]).includes(value))
    case 'const':
      return wrong(rule === value)
    case 'minimum':
      return wrong((value as number) >= rule)
    case 'maximum':
      return wrong((value as number) <= rule)
    case 'pattern':
      return wrong(new RegExp(rule).test(value as string))
    case 'required':
      return wrong((rule as readonly string[]).every((key) => Object.hasOwn(record, key)))
    case 'properties':
      return Object.entries(rule as JsonObject).flatMap(([key, inner]) => {
        const own = record[key]
        return own === undefined ? [] : faults(own, inner as JsonObject, `${at}/${key}`)
      })
    case 'additionalProperties':
      return Object.entries(record).flatMap(([key, own]) => faults(own, rule, `${at}/${key}`))
    case 'items':
      return (Array.isArray(value) ? (value as readonly Json[]) : []).flatMap((own, index) =>
        faults(own, rule, `${at}/${index}`),
      )
    case 'propertyNames':
      return Object.keys(record).flatMap((key) => faults(key, rule, `${at}/${key}`))
    case 'oneOf':
    case 'anyOf': {
      const tried = (rule as readonly JsonObject[]).map((one) => faults(value, one, at))
      return tried.some((found) => found.length === 0) ? [] : tried.flat()
    }
    case '$ref':
      return faults(
        value,
        (resultSchema['$defs'] as Record<string, JsonObject>)[String(rule).replace('#/$defs/', '')]!,
        at,
      )
    case '$schema':
    case 'title':
    case '$defs':
      return []
    default:
      return [`${at} has an unknown keyword ${keyword} in ${JSON.stringify(schema)}`]
  }
}

const parsed = (text: string): JsonObject => JSON.parse(text)

test('what runs write fits the schema', async () => {
  const judged = await runExperiment({
    ...anExperiment(3, { repetitions: 2, efficiency: {} }),
    jury: jury({ judges: { good: () => true, half: () => scored(0.5, { passingAt: 0.4 }) } }),
    agent: async ({ prompt }) => {
      if (prompt.includes('2')) throw new Error('broken')
      return { status: 'completed', costUsd: 0.1, usage: { inputTokens: 1 }, output: { type: 'text', text: prompt } }
    },
  }).result
  expect(judged.items.some(({ verdict }) => verdict !== null)).toBe(true)
  for (const result of [judged, aResult(), aResult({ items: [] }), await hostileResult()])
    expect(faults(parsed(jsonReport(result)), resultSchema)).toEqual([])
})

test('the schema notices what does not fit', () => {
  const good = parsed(jsonReport(aResult()))
  for (const [key, value] of [
    ['schemaVersion', 2],
    ['kind', 'other'],
    ['passRate', 1.5],
    ['startedAt', 'yesterday'],
    ['items', [{ itemId: 'a' }]],
    ['counts', null],
    ['scores', { a: {} }],
  ] as const)
    expect(faults({ ...good, [key]: value }, resultSchema).length, key).toBeGreaterThan(0)
  const { planned, ...without } = good
  expect(planned).toBe(1)
  expect(faults(without, resultSchema)).toHaveLength(1)
})

test('the schema knows every key that is written', () => {
  const expectedOutput = { type: 'text', text: 'yes' } as const
  const user = { ended: 'satisfied', faults: [], audited: true } as const
  const judges = { described: 'strict', directory: '' }
  const network = { allowed: { 'pypi.org:443': 2 }, refused: { 'example.com:443': 1 } } as const
  const keptChanges = { before: '0'.repeat(64), removed: ['old'] } as const
  const full = anItem({ expectedOutput, expectedAnyOf: true, judges, user, network, keptChanges })
  const shard = { index: 1, count: 2, by: 'order', trials: 1, durations: null } as const
  const plan = { rule: 'threshold', seed: 1, order: [full.itemId], repetitions: 1, alpha: 0.05, margin: null } as const
  const sequential = { ...plan, threshold: 0.8, comparisons: [] }
  const decided = { after: 1, planned: 1, why: 'met', ahead: [] } as const
  const quarantine = [
    { item: 'other', judge: 'a', owner: 'ana', reason: 'b', since: '2026-11-20', until: '2026-12-20' },
  ]
  const added = { quarantine, shard, itemOrder: [full.itemId], merged: ['a', 'b'], sequential, decided }
  const finding = {
    ...({ itemId: full.itemId, repetition: 1, rule: 'git-future', level: 'suspect' } as const),
    ...{ place: { step: 1, from: 0, to: 13 }, evidence: 'git log --all', remark: 'read', settled: false },
  }
  const unseen = [{ itemId: full.itemId, repetition: 1, coverage: 'partly' }] as const
  const seen = { at: '2026-11-29T00:00:00.000Z', unread: 0, notApplicable: { a: 1 }, errors: {} }
  const written = parsed(jsonReport(aResult({ items: [full], ...added }), { ...seen, unseen, findings: [finding] }))
  expect(faults(written, resultSchema)).toEqual([])
  const properties = resultSchema['properties'] as JsonObject
  expect(Object.keys(written).sort()).toEqual(Object.keys(properties).sort())
  const { item } = resultSchema['$defs'] as { readonly item: { readonly properties: JsonObject } }
  expect(Object.keys((written['items'] as readonly JsonObject[])[0] ?? {}).sort()).toEqual(
    Object.keys(item.properties).sort(),
  )
})

test('keys come in the same order whatever order they were made in', () => {
  const result = aResult({ id: '20260101T000000000Z-000000' })
  const reversed = Object.fromEntries(Object.entries(result).reverse()) as typeof result
  const items = result.items.map((item) => Object.fromEntries(Object.entries(item).reverse()) as typeof item)
  expect(jsonReport({ ...reversed, items })).toBe(jsonReport(result))
  expect(Object.keys(parsed(jsonReport(result))).slice(0, 3)).toEqual(['schemaVersion', 'id', 'experimentName'])
})

test('can be read back: the summary follows from the items again', () => {
  const items = [anItem({ itemId: 'a' }), anItem({ itemId: 'b', judged: 'fail', passed: false, scores: { x: 0.25 } })]
  const result = aResult({ items })
  const read = JSON.parse(jsonReport(result))
  expect(read).toEqual(JSON.parse(JSON.stringify({ ...result, undecidedJudges: [] })))
  expect(summarize(read)).toEqual(summarize(result))
})
