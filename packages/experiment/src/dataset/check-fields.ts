import type { JsonObject } from '@jurist/core'
import { JuristError } from '@jurist/core'
import { frozenJson, isPlainObject, printed } from '@jurist/core/internal'
import { nearestNames } from '@jurist/kit/did-you-mean'
import * as v from 'valibot'
import type { Spot } from './problem.js'

/** Checks a value against a schema and reports every fault. `undefined` when there was one. */
export function checkFields<Value>(
  schema: v.GenericSchema<unknown, Value>,
  value: unknown,
  spot: Spot,
): Value | undefined {
  const result = v.safeParse(schema, value)
  if (result.success) return result.output
  for (const issue of result.issues) {
    const keys = issue.path?.map(({ key }) => key) ?? []
    const field = fieldName(spot.prefix, keys)
    const remedy = remedies[String(keys.findLast((key) => typeof key === 'string') ?? '')] ?? 'Correct it.'
    spot.report({ file: spot.file, item: spot.item, field, problem: `${problemOf(issue)}.`, remedy })
  }
  return undefined
}

/**
 * Reports every key of an object that has no meaning there, with the key that was probably meant.
 *
 * @param renamed what other tools call a key, and our name for it
 */
export function checkKeys(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  { file, item, prefix, report }: Spot,
  renamed: Readonly<Record<string, string>> = {},
): void {
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue
    const near = Object.hasOwn(renamed, key) ? renamed[key] : nearestNames(key, known)[0]
    const remedy = near === undefined ? 'Move it into "metadata", or leave it out.' : `Did you mean "${near}"?`
    report({ file, item, field: fieldName(prefix, [key]), problem: 'is not a known key.', remedy })
  }
}

/** `items[3]` and `['status']` as `items[3].status`; `null` for the whole. */
function fieldName(prefix: string, keys: readonly unknown[]): string | null {
  const name = keys.reduce<string>((before, key) => {
    return typeof key === 'number' ? `${before}[${key}]` : before === '' ? String(key) : `${before}.${String(key)}`
  }, prefix)
  return name === '' ? null : name
}

function problemOf(issue: v.BaseIssue<unknown>): string {
  if (issue.received === 'undefined') return 'is missing'
  if (issue.kind !== 'schema') return issue.message
  if (issue.type === 'picklist') return `${printed(issue.input)} ${issue.message}`
  return `${issue.message}, not ${printed(issue.input)}`
}

/** What to do about a field, by its name. */
const remedies: { readonly [field: string]: string } = {
  '': 'Write a JSON object.',
  name: 'Give the dataset a name.',
  version: 'Give the dataset a version, such as "1.0.0".',
  description: 'Describe it in words, or leave it out.',
  items: 'List the items; [] is allowed.',
  id: 'Give each item its own id.',
  path: 'Name the directory of the item, such as "items/first".',
  slug: 'Write a short name, or leave it out.',
  bucket: 'Write the name of a group, or leave it out.',
  taskType: 'Write the name of a kind of task, or leave it out.',
  recipe: 'Write the name of a kind of task, or leave it out.',
  status: 'Use active, disabled or deprecated.',
  task: 'Say what the agent is to do.',
  developerTask: 'Say what the agent is to do.',
  noChange: 'Write true or false without quotes.',
  tags: 'Write a list such as ["simple"].',
  knowledgeRefs: 'Write a list of paths below the knowledge directory.',
  referenceData: 'Write a list of texts.',
  expectedOutput: 'Write a text, or {"type": "structured", "data": …}.',
  metadata: 'Write an object such as {"expectedVerdict": "pass"}.',
  type: 'Use one of these types.',
}

/** A frozen copy of metadata that came from JSON; faults are reported, and then it is empty. */
export function readMetadata(value: unknown, spot: Spot): JsonObject {
  if (!isPlainObject(value)) return noMetadata
  try {
    return frozenJson(value, ['metadata']) as JsonObject
  } catch (thrown) {
    if (!JuristError.is(thrown, 'metadata-invalid')) throw thrown
    const { file, item, report } = spot
    const field = fieldName(spot.prefix, [thrown.details.path])
    report({ file, item, field, problem: 'cannot be kept.', remedy: 'Rename the key, or nest less deeply.' })
    return noMetadata
  }
}

/** No metadata. */
export const noMetadata: JsonObject = Object.freeze({})
