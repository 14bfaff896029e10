import type { JsonObject } from '@jurist/core'
import { mustDecideOption, type OptionDescription, propertiesOf } from '@jurist/core/internal'
import {
  calibrateRules,
  cascadeRules,
  datasetPathSchemas,
  experimentJsonSchemas,
  filterJsonSchema,
  jsonSchemaOf,
  recordedRules,
  sentence,
  setupRules,
  severalJudgesRules,
} from '@jurist/experiment/internal'
import type { Plugin } from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import { parseOrUndefined } from '@jurist/kit/json'
import { regularFileText } from '@jurist/kit/regular-file'
import * as v from 'valibot'
import { judgesByType } from './catalog.js'
import { configEntries, liftStudy } from './config-options.js'
import { describedOptions, modelAgentOptions } from './described-agent.js'
import { confidenceChoices, scorerChoices, voteChoices } from './described-choices.js'
import { conversationSchema } from './described-conversation.js'
import { certifiedParts, certifiedTierParts, combinators, juryParts, memberParts, tierParts } from './described-jury.js'
import { modelSchema, requestOptions } from './model-schema.js'
import { byName, choiceSchemas, exported, named, object, partsSchema, ref, text } from './parts.js'
import { pluggedJudges } from './plugins.js'

/**
 * Returns the JSON Schema of a YAML or JSON config for editors, derived from the declarations of keys, options, judges
 * and votes.
 */
export async function configSchema(plugins: readonly Plugin[] = []): Promise<string> {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Config of jurist',
    ...object(await configKeys()),
    $defs: {
      experiment: await experiment(),
      filter: await filterJsonSchema(),
      calibration: await calibration(),
      agent: await agent(),
      study: await study(),
      model: await jsonSchemaOf(modelSchema),
      modelOptions: await jsonSchemaOf(requestOptions),
      ...(await jurySchemas(plugins)),
    },
  }
  return `${JSON.stringify(schema, null, 2)}\n`
}

/** Values that have another form in documents than in programs. */
const inDocuments: { readonly [key: string]: JsonObject } = {
  experiments: byName(ref('experiment')),
  calibrations: byName(ref('calibration')),
  juries: byName(ref('jury')),
  agents: byName(ref('agent')),
  models: byName(ref('model')),
  lift: byName(ref('study')),
  votes: byName(ref('vote')),
  store: text,
  plugins: { type: 'array', items: text },
}

async function configKeys(): Promise<JsonObject> {
  const keys: Record<string, JsonObject> = {}
  for (const [name, schema] of Object.entries(configEntries)) {
    // Functions are possible only in programs.
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
    object({ bubblewrap: { description: 'Options of `bubblewrapSandbox`.', type: 'object' } }, 'bubblewrap'),
    object({ docker: { description: 'Options of `dockerSandbox`.', type: 'object' } }, 'docker'),
    object({ podman: { description: 'Options of `dockerSandbox`, with podman.', type: 'object' } }, 'podman'),
  ],
}

const setup = object(propertiesOf(setupRules), 'command', 'inputs', 'keeps')
const places = {
  sandbox,
  setup: {
    description:
      'Installs the packages of the project into each workspace; of several, the first that is for its files.',
    anyOf: [setup, { type: 'array', items: setup }],
  },
}

async function experiment(): Promise<JsonObject> {
  const { name: _, variants, ...options } = await experimentJsonSchemas()
  const variant = variants?.additionalProperties as { readonly properties: JsonObject }
  const { agent: described = {}, jury = {}, matrix = {} } = options
  const agent = { ...described, ...ref('agent') }
  const agents = { description: 'Agents by name.', ...byName(ref('agent')) }
  const properties = {
    ...options,
    agent,
    jury: { ...jury, ...ref('jury') },
    matrix: { ...matrix, properties: { ...(matrix['properties'] as JsonObject), agent: agents } },
    variants: {
      ...variants,
      additionalProperties: { ...variant, properties: { ...variant.properties, agent } },
    },
    ...places,
  }
  return object(properties, 'dataset')
}

async function study(): Promise<JsonObject> {
  const { properties, ...schema } = await jsonSchemaOf(liftStudy)
  const { provision: _, ...options } = properties as JsonObject
  return { ...schema, properties: { ...options, ...places } }
}

async function agent(): Promise<JsonObject> {
  const { commandAgentOptions } = await import('@jurist/bridges/internal')
  const options = { ...propertiesOf(commandAgentOptions), ...propertiesOf(describedOptions) }
  const model = {
    anyOf: [text, ref('model')],
    description: 'The name of one of "models", or the description of a model.',
  }
  const modelAgent = object({ model, ...propertiesOf(modelAgentOptions) }, 'model')
  return {
    oneOf: [
      { description: 'A program.', ...object(options, 'command') },
      { description: 'A model.', ...modelAgent },
      conversationSchema,
      exported('An agent'),
      named('agents'),
    ],
  }
}

/** Returns the options of a calibration that a document can contain: those with a description. The key is the name. */
async function calibration(): Promise<JsonObject> {
  const rules: Readonly<Record<string, object>> = { ...calibrateRules, ...severalJudgesRules, ...cascadeRules }
  const options = Object.fromEntries(
    Object.entries(rules).filter(
      (entry): entry is [string, OptionDescription] => entry[0] !== 'name' && 'description' in entry[1],
    ),
  )
  const { name: _, ...recorded } = recordedRules
  const forms: Readonly<Record<string, JsonObject>> = {
    candidate: ref('jury'),
    judges: { anyOf: [byName(ref('jury')), { type: 'array', items: text }] },
    recorded: object(propertiesOf(recorded)),
    tiers: { type: 'array', items: ref('certifiedTier'), minItems: 1 },
    items: { anyOf: await datasetPathSchemas() },
    scorer: { oneOf: choiceSchemas('scorer', scorerChoices) },
  }
  const properties = Object.entries(propertiesOf(options)).map(([name, schema]) => [
    name,
    { ...schema, ...forms[name] },
  ])
  // The items of a cascade may come from the labelled trials of a run.
  return { ...object(Object.fromEntries(properties)), anyOf: [{ required: ['items'] }, { required: ['tiers'] }] }
}

/** The name of the file that a YAML config refers to for editors. */
export const schemaFile = 'jurist.schema.json'

/**
 * The state of a JSON Schema file: `current`, `old` if this version of Jurist would write a different one, `missing`,
 * or `foreign` if it contains something else.
 */
export type SchemaState = 'current' | 'old' | 'missing' | 'foreign'

export const oldSchema = 'is of another version of Jurist: editors do not know what this one reads.'
export function schemaRemedy(): string {
  return `Write it again: ${commandLine('validate', '--schema')}`
}

/**
 * Compares a file with the schema of this version. The layout of the file, which a formatter may change, does not
 * matter.
 */
export async function schemaState(file: string, plugins: readonly Plugin[] = []): Promise<SchemaState> {
  const text = await regularFileText(file).catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR') return undefined
    return ''
  })
  if (text === undefined) return 'missing'
  const [found, current] = [parseOrUndefined(text), parseOrUndefined(await configSchema(plugins))]
  if (titleOf(found) !== titleOf(current)) return 'foreign'
  return JSON.stringify(found) === JSON.stringify(current) ? 'current' : 'old'
}

function titleOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'title' in value ? value.title : undefined
}

/** Returns the definitions of juries, judges and votes in the JSON Schema of a config. */
async function jurySchemas(plugins: readonly Plugin[]): Promise<JsonObject> {
  const judges = [...(await judgesByType()), ...pluggedJudges(plugins)].map(([type, { passes, options, required }]) =>
    judge(type, passes, propertiesOf(options), ...required),
  )
  return {
    jury: {
      oneOf: [
        { description: 'Judges that vote.', ...partsSchema(juryParts, mustDecide) },
        { description: 'Juries in order, cheap ones first.', ...object({ cascade, ...mustDecide }, 'cascade') },
        { description: 'A cascade that decides by a certificate.', ...partsSchema(certifiedParts, mustDecide) },
        ...judges,
        ...Object.entries(combinators).map(([type, { passes, parts }]) => {
          const { properties, required } = partsSchema(parts) as { properties: JsonObject; required: string[] }
          return judge(type, passes, properties, ...required)
        }),
        exported('A judge or a jury', mustDecide),
        named('juries', mustDecide),
      ],
    },
    member: { description: 'A judge with a weight.', ...partsSchema(memberParts) },
    tier: partsSchema(tierParts),
    certifiedTier: partsSchema(certifiedTierParts),
    confidence: { oneOf: choiceSchemas('source of confidence', confidenceChoices) },
    vote: { oneOf: [...choiceSchemas('vote', voteChoices), named('votes')] },
  }
}

const mustDecide = propertiesOf({ mustDecide: mustDecideOption })

const cascade = {
  description: 'The tiers in order; the last one is final.',
  type: 'array',
  items: ref('tier'),
  minItems: 1,
}

function judge(type: string, passes: string, options: JsonObject, ...required: readonly string[]): JsonObject {
  const name = { description: 'The name of the judge.', const: type }
  return {
    description: `Passes when ${passes}.`,
    ...object({ type: name, ...options, ...mustDecide }, 'type', ...required),
  }
}
