import type { JsonObject } from '@jurist/core'
import { propertiesOf } from '@jurist/core/internal'
import * as v from 'valibot'
import { datasetFile } from '../dataset/columns.js'
import { criteriaSchema } from '../dataset/filter-schema.js'
import { efficiencyRules } from '../efficiency.js'
import { experimentEntries } from './experiment-options.js'
import { defaults } from './settings.js'

/** One option of an experiment, as the reference shows it. */
export interface OptionEntry {
  readonly name: string
  /** Markdown. */
  readonly description: string
  /** The default, as Markdown. */
  readonly standard: string
}

/** Every option of an experiment with its description and its default, in the order of the reference. */
export function experimentReference(): readonly OptionEntry[] {
  return Object.entries(experimentEntries).map(([name, schema]) => {
    const { description, standard = shown(Reflect.get(defaults, name)) } = v.getMetadata(schema) as Omit<
      OptionEntry,
      'name'
    >
    return { name, description, standard }
  })
}

function shown(standard: unknown): string {
  if (typeof standard === 'number') return standard.toLocaleString('en-US')
  return typeof standard === 'object' || standard === undefined ? 'none' : `\`${standard}\``
}

/** Options that only a program can give: functions and objects with functions. */
const onlyInPrograms: ReadonlySet<string> = new Set(['provision', 'hooks', 'askThrough', 'store'])

/**
 * The JSON Schema of every option that a YAML or JSON config can hold, by the name of the option. `agent` and `jury` have a
 * description only: how a config writes them is up to the command.
 */
export async function experimentJsonSchemas(): Promise<Readonly<Record<string, JsonObject>>> {
  const schemas: Record<string, JsonObject> = {}
  const apart = { ...writtenApart, dataset: await datasetSchema() }
  for (const { name, description, standard } of experimentReference()) {
    if (onlyInPrograms.has(name)) continue
    const schema =
      apart[name as keyof typeof apart] ??
      (await jsonSchemaOf(experimentEntries[name as keyof typeof experimentEntries]))
    const remark = standard === 'required' ? '' : ` Default: ${sentence(standard)}`
    schemas[name] = { ...schema, description: `${sentence(description)}${remark}` }
  }
  return schemas
}

/** Options whose schemas a conversion cannot make. `filterJsonSchema` is the definition of filters. */
const writtenApart: { readonly [name: string]: JsonObject } = {
  filter: { $ref: '#/$defs/filter' },
  efficiency: {
    anyOf: [
      { const: false },
      { type: 'object', additionalProperties: false, properties: propertiesOf(efficiencyRules) },
    ],
  },
}

/** A dataset as JSON Schema: a path, the same with columns, or items. */
async function datasetSchema(): Promise<JsonObject> {
  return { anyOf: [...(await datasetPathSchemas()), { type: 'array' }] }
}

/** Where a dataset is as JSON Schemas: a path, and the same with columns. */
export async function datasetPathSchemas(): Promise<readonly JsonObject[]> {
  return [{ type: 'string' }, await jsonSchemaOf(datasetFile)]
}

/** A filter as JSON Schema: criteria, or one operator. */
export async function filterJsonSchema(): Promise<JsonObject> {
  const filter = { $ref: '#/$defs/filter' }
  const operator = (name: string, description: string, schema: JsonObject): JsonObject => ({
    type: 'object',
    additionalProperties: false,
    required: [name],
    properties: { [name]: { description, ...schema } },
  })
  return {
    anyOf: [
      await jsonSchemaOf(criteriaSchema),
      operator('and', 'All of these filters select the item.', { type: 'array', items: filter }),
      operator('or', 'One of these filters selects the item.', { type: 'array', items: filter }),
      operator('not', 'This filter does not select the item.', filter),
    ],
  }
}

/** The JSON Schema of a valibot schema. What only a program can check becomes an object of any kind. */
export async function jsonSchemaOf(schema: v.GenericSchema): Promise<JsonObject> {
  const { toJsonSchema } = await import('@valibot/to-json-schema')
  const { $schema: _, ...made } = toJsonSchema(schema, {
    typeMode: 'output',
    target: 'draft-2020-12',
    errorMode: 'ignore',
    overrideAction: ({ valibotAction, jsonSchema }) => {
      if (valibotAction.type !== 'metadata') return undefined
      const { description } = (valibotAction as v.MetadataAction<unknown, { description: string }>).metadata
      return { ...jsonSchema, description: sentence(description) }
    },
    overrideSchema: ({ valibotSchema, jsonSchema }) => {
      if (valibotSchema.type === 'custom') return { type: 'object' }
      if (valibotSchema.type !== 'loose_object') return undefined
      const { properties = {} } = jsonSchema
      const { entries } = valibotSchema as v.LooseObjectSchema<v.ObjectEntries, undefined>
      const written = Object.entries(properties).filter(([name]) => !isFunction(entries[name]))
      return { ...jsonSchema, properties: Object.fromEntries(written), additionalProperties: false }
    },
  })
  return made as JsonObject
}

/** Whether only a program can give a value of the schema. */
function isFunction(schema: v.GenericSchema | undefined): boolean {
  if (schema?.type === 'optional') return isFunction((schema as v.OptionalSchema<v.GenericSchema, undefined>).wrapped)
  return schema?.type === 'function'
}

/** Markdown as a plain sentence. */
export function sentence(markdown: string): string {
  const plain = markdown.replaceAll('`', '')
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`
}
