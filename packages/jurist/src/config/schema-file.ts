import { readFile } from 'node:fs/promises'
import { configSchema } from './config-schema.js'

/** The name of the file that a YAML config refers to for editors. */
export const schemaFile = 'jurist.schema.json'

/**
 * How a file of the JSON Schema is: `current`, `old` when this version of Jurist would write another one, `missing`, or
 * `foreign` when it holds something else.
 */
export type SchemaState = 'current' | 'old' | 'missing' | 'foreign'

/** What is wrong with an old file, and what to do. */
export const oldSchema = 'is of another version of Jurist: editors do not know what this one reads.'
export const schemaRemedy = 'Write it again: npx jurist schema'

/** Compares a file with the schema of this version. The layout of the file, which a formatter may change, does not count. */
export async function schemaState(file: string): Promise<SchemaState> {
  const text = await readFile(file, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT' || thrown.code === 'ENOTDIR') return undefined
    return ''
  })
  if (text === undefined) return 'missing'
  const [found, current] = [parsed(text), parsed(await configSchema())]
  if (titleOf(found) !== titleOf(current)) return 'foreign'
  return JSON.stringify(found) === JSON.stringify(current) ? 'current' : 'old'
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function titleOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'title' in value ? value.title : undefined
}
