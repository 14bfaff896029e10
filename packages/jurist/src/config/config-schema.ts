import type { JsonObject } from '@jurist/core'
import { voteDescriptionOf } from '@jurist/core/internal'
import { experimentJsonSchemas, jsonSchemaOf, sentence } from '@jurist/experiment/internal'
import * as v from 'valibot'
import { votesByName } from './catalog.js'
import { configEntries } from './config-options.js'
import { commandAgentSchema } from './described-agent.js'
import { judgeTypeNames } from './described-judge.js'
import { scorerNames } from './described-jury.js'

const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const
const rate = { type: 'number', minimum: 0, maximum: 1 } as const
const count = { type: 'integer', minimum: 1 } as const
const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` })
const byName = (values: JsonObject): JsonObject => ({ type: 'object', additionalProperties: values })

/** An object with these properties and no others. */
function object(properties: JsonObject, ...required: readonly string[]): JsonObject {
  return { type: 'object', additionalProperties: false, properties, ...(required.length > 0 ? { required } : {}) }
}

/** The JSON Schema of a YAML or JSON config, for editors. It follows from what declares the keys, options and votes. */
export async function configSchema(): Promise<string> {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Config of jurist',
    ...object(await configKeys()),
    $defs: {
      experiment: await experiment(),
      calibration,
      agent: { oneOf: [commandAgentSchema, ref('module'), ref('use')] },
      jury: await jury(),
      tier,
      vote: { oneOf: [...[...votesByName].flatMap(voteSchemas), ref('use')] },
      use: object({ use: text }, 'use'),
      module: object({ module: text, export: text, options: { type: 'object' } }, 'module'),
    },
  }
  return `${JSON.stringify(schema, null, 2)}\n`
}

/** What documents write in another way than programs. */
const inDocuments: { readonly [key: string]: JsonObject } = {
  experiments: byName(ref('experiment')),
  calibrations: byName(ref('calibration')),
  juries: byName(ref('jury')),
  agents: byName(ref('agent')),
  votes: byName(ref('vote')),
  store: text,
}

async function configKeys(): Promise<JsonObject> {
  const keys: Record<string, JsonObject> = {}
  for (const [name, schema] of Object.entries(configEntries)) {
    // Functions are for programs alone.
    if (name === 'reporters') continue
    const { description } = v.getMetadata(schema)
    keys[name] = { description: sentence(String(description)), ...(inDocuments[name] ?? (await jsonSchemaOf(schema))) }
  }
  return keys
}

const sandbox = {
  description: 'Where commands of the agent and of judges run. Default: none.',
  oneOf: [
    { type: 'string', pattern: '^(none|auto|bubblewrap|(docker|podman):\\S+)$' },
    object({ bubblewrap: { type: 'object' } }, 'bubblewrap'),
    object({ docker: { type: 'object' } }, 'docker'),
  ],
}

async function experiment(): Promise<JsonObject> {
  const { name: _, agent: described, jury: judged, variants, ...others } = await experimentJsonSchemas()
  const variant = variants?.additionalProperties as { readonly properties: JsonObject }
  const properties = {
    dataset: others.dataset ?? {},
    agent: { description: described?.description ?? '', ...ref('agent') },
    jury: { description: judged?.description ?? '', ...ref('jury') },
    ...others,
    variants: {
      ...variants,
      additionalProperties: { ...variant, properties: { ...variant.properties, agent: ref('agent') } },
    },
    sandbox,
  }
  return object(properties, 'dataset', 'agent')
}

async function jury(): Promise<JsonObject> {
  return {
    type: 'object',
    properties: {
      judges: { oneOf: [byName(ref('jury')), { type: 'array', items: ref('jury') }] },
      vote: ref('vote'),
      cascade: { type: 'array', items: ref('tier') },
      use: text,
      type: { description: 'A judge by the name of its factory.', enum: await judgeTypeNames() },
      judge: ref('jury'),
      module: text,
      mustDecide: { description: 'What an abstention becomes. Default: it stays one.', enum: ['fail', 'error'] },
    },
  }
}

/** A vote by its name alone, and with its options. */
function voteSchemas([name, make]: readonly [string, object]): readonly JsonObject[] {
  const { passes = '', options = {} } = voteDescriptionOf(make) ?? {}
  const described = Object.entries(options).map(([option, { rule, description, default: otherwise }]) => {
    return [
      option,
      { description, ...rule.schema, ...(otherwise === undefined ? {} : { default: otherwise }) },
    ] as const
  })
  const description = `Passes when ${passes}.`
  return [
    { description, const: name },
    { description, ...object({ type: { const: name }, ...Object.fromEntries(described) }, 'type') },
  ]
}

const tier = object(
  {
    name: text,
    policy: { enum: ['reject-on-any-fail', 'accept-on-all-pass', 'accept-when-decided', 'final'] },
    jury: ref('jury'),
    onError: { enum: ['stop', 'escalate'] },
  },
  'name',
  'policy',
  'jury',
)

const calibration: JsonObject = {
  type: 'object',
  required: ['items'],
  properties: {
    candidate: ref('jury'),
    judges: {
      description: 'Several judges, in one table. Default without a candidate: all whose answers the items keep.',
      oneOf: [byName(ref('jury')), texts],
    },
    recorded: object({
      pass: texts,
      fail: texts,
      categories: { oneOf: [{ const: 'any' }, texts] },
      range: { type: 'object' },
      passingAt: rate,
    }),
    items: text,
    scorer: {
      oneOf: [
        { enum: scorerNames },
        { type: 'object', required: ['type'], properties: { type: { enum: scorerNames } } },
      ],
    },
    repetitions: count,
    concurrency: count,
    altTest: object({ epsilon: { type: 'number' }, q: rate, minimumItems: count }),
  },
}
