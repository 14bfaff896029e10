import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import type { StandardSchema } from '@jurist/core/llm'
import { jsonSchema } from '../json-schema/json-schema.js'

/** The schema that a config means: a JSON Schema, or the path of a JSON file with one. */
export async function describedSchema(value: unknown, directory: string): Promise<StandardSchema> {
  return jsonSchema(typeof value === 'string' ? await schemaIn(value, directory) : value)
}

async function schemaIn(path: string, directory: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(resolve(directory, path), 'utf8'))
  } catch (thrown) {
    const { code, message } = failureOf(thrown)
    const problem = code === 'ENOENT' ? 'there is no such file' : message
    const remedy = 'Give the path of a JSON file with a JSON Schema, relative to the config.'
    throw new JuristError('option-invalid', `schema: ${path}: ${problem}. ${remedy}`, { option: 'schema' })
  }
}
