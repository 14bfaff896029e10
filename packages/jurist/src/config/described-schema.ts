import { readFile } from 'node:fs/promises'
import { JuristError } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import type { StandardSchema } from '@jurist/core/llm'
import { jsonSchema } from '../json-schema/json-schema.js'

/**
 * The schema that a config means: a JSON Schema, or the path of a JSON file with one.
 *
 * @param placed the absolute form of a path
 */
export async function describedSchema(value: unknown, placed: (path: string) => string): Promise<StandardSchema> {
  return jsonSchema(typeof value === 'string' ? await schemaIn(value, placed(value)) : value)
}

async function schemaIn(path: string, file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (thrown) {
    const { code, message } = failureOf(thrown)
    const problem = code === 'ENOENT' ? 'there is no such file' : message
    const remedy = 'Give the path of a JSON file with a JSON Schema, relative to the config.'
    throw new JuristError('option-invalid', `schema: ${path}: ${problem}. ${remedy}`, { option: 'schema' })
  }
}
