import type { JsonObject } from '@jurist/core'
import * as v from 'valibot'
import { experimentEntries } from './experiment-options.js'

/** One option of an experiment, as the reference shows it. */
export interface OptionEntry {
  readonly name: string
  /** Markdown. */
  readonly description: string
  /** What applies without it, as Markdown. */
  readonly standard: string
}

/** Every option of an experiment with its description and its default, in the order of the reference. */
export const experimentReference: readonly OptionEntry[] = Object.entries(experimentEntries).map(([name, schema]) => {
  const { description, standard } = v.getMetadata(schema) as Omit<OptionEntry, 'name'>
  return { name, description, standard }
})

/** Options that only a program can give: functions and objects with functions. */
const onlyInPrograms: ReadonlySet<string> = new Set(['provision', 'hooks', 'store'])

/**
 * The JSON Schema of every option that a YAML or JSON config can hold, by the name of the option. `agent` and `jury` have a
 * description only: how a config writes them is up to the command.
 */
export async function experimentJsonSchemas(): Promise<Readonly<Record<string, JsonObject>>> {
  const schemas: Record<string, JsonObject> = {}
  for (const { name, description, standard } of experimentReference) {
    if (onlyInPrograms.has(name)) continue
    const schema =
      name === 'dataset'
        ? { type: ['string', 'array'] }
        : await jsonSchemaOf(experimentEntries[name as keyof typeof experimentEntries])
    schemas[name] = { description: `${sentence(description)} Default: ${sentence(standard)}`, ...schema }
  }
  return schemas
}

/** The JSON Schema of a valibot schema. What only a program can check becomes an object of any kind. */
export async function jsonSchemaOf(schema: v.GenericSchema): Promise<JsonObject> {
  const { toJsonSchema } = await import('@valibot/to-json-schema')
  const { $schema: _, ...made } = toJsonSchema(schema, {
    typeMode: 'output',
    target: 'draft-2020-12',
    errorMode: 'ignore',
    ignoreActions: ['metadata'],
    overrideSchema: ({ valibotSchema, jsonSchema }) => {
      if (valibotSchema.type === 'custom' || valibotSchema.type === 'lazy') return { type: 'object' }
      return valibotSchema.type === 'loose_object' ? { ...jsonSchema, additionalProperties: false } : undefined
    },
  })
  return made as JsonObject
}

/** Markdown as a plain sentence. */
export function sentence(markdown: string): string {
  const plain = markdown.replaceAll('`', '')
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`
}
