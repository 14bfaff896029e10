import { openAiCompatibleModel } from '@jurist/bridges/openai-compatible'
import { judgmentContext, runJudge } from '@jurist/core'
import { keepsRole, modelAudit, modelUser, remembers } from '@jurist/core/conversation'
import { isPlainObject } from '@jurist/core/internal'
import { rubric } from '@jurist/core/llm'
import { answerRelevance, contextPrecision, contextRecall, faithfulness } from '@jurist/core/rag'
import { expect, test } from 'vitest'
import { scriptedServer } from '../../testing/index.js'

/** What a server of OpenAI finds wrong with a schema under `strict: true`. */
function faultsOf(schema: unknown, isRoot = true): readonly string[] {
  if (!isPlainObject(schema)) return ['a schema must be an object']
  const { type, properties, required, items, additionalProperties } = schema
  if (isRoot && type !== 'object') return ['the root must be of the type object']
  if ('anyOf' in schema || 'oneOf' in schema) return isRoot ? ['the root must have no alternatives'] : []
  if (type === 'array') return faultsOf(items, false)
  if (type !== 'object' || !isPlainObject(properties)) return []
  const names = Object.keys(properties)
  return [
    ...(additionalProperties === false ? [] : ['additionalProperties must be false']),
    ...names
      .filter((name) => !Array.isArray(required) || !required.includes(name))
      .map((name) => `"${name}" must be required`),
    ...Object.values(properties).flatMap((property) => faultsOf(property, false)),
  ]
}

const strictServer = () =>
  scriptedServer(({ body }) => {
    const { response_format: format } = body as {
      readonly response_format?: { readonly json_schema?: { readonly schema: unknown } }
    }
    const faults = format?.json_schema === undefined ? [] : faultsOf(format.json_schema.schema)
    return faults.length === 0
      ? { text: '{"claims": ["It is so."], "move": "say", "message": "Hello", "stop": "none"}' }
      : { status: 400, body: { error: { message: `Invalid schema for response_format: ${faults.join('; ')}` } } }
  })

test('the server refuses what OpenAI refuses', () => {
  const message = {
    type: 'object',
    properties: { message: { type: 'string' } },
    required: [],
    additionalProperties: false,
  }
  expect(faultsOf({ anyOf: [message] })).toEqual(['the root must be of the type object'])
  expect(faultsOf({ type: 'array', items: message })).toEqual(['the root must be of the type object'])
  expect(faultsOf(message)).toEqual(['"message" must be required'])
  expect(faultsOf({ ...message, required: ['message'], additionalProperties: true })).toHaveLength(1)
})

test('takes the schema of every judge that has one, and that of a simulated user', async () => {
  await using server = await strictServer()
  const base = { model: openAiCompatibleModel({ baseUrl: server.url, model: 'strict' }), askAgain: 0 }
  const context = judgmentContext({
    goal: 'Say it.',
    agentOutput: 'It is so.',
    expectedOutput: 'It is so.',
    referenceData: ['It is so.'],
    turns: [
      { role: 'user', text: 'Hello' },
      { role: 'agent', text: 'Hello!' },
    ],
  })
  const judges = [
    rubric({ ...base, criteria: [{ name: 'clear', description: 'It is clear.' }] }),
    ...[faithfulness(base), answerRelevance(base), contextPrecision(base), contextRecall(base)],
    ...[keepsRole({ ...base, role: 'A clerk.' }), remembers({ ...base, facts: ['The order is 7.'] })],
  ]
  for (const judge of judges) await runJudge(judge, context)
  const scenario = { goal: 'Say it.' }
  expect(await modelUser(base)([], scenario, context.signal)).toMatchObject({ message: 'Hello' })
  const talk = { turns: context.turns ?? [], scenario, ended: 'satisfied' } as const
  await expect(modelAudit(base)(talk, context.signal)).rejects.toMatchObject({ code: 'response-invalid' })
  const formats = server.requests.map(({ body }) => (body['response_format'] as { readonly type: string }).type)
  expect(new Set(formats)).toEqual(new Set(['json_schema']))
  expect(formats).toHaveLength(judges.length + 5)
})
