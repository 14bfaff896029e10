import type { AgentOutput, JsonObject } from '@jurist/core'
import { structuredOutput, textOutput } from '@jurist/core'
import { frozenJson, isPlainObject, printed } from '@jurist/core/internal'
import { noMetadata, readMetadata } from './check-fields.js'
import type { Columns } from './columns.js'
import { isOutputObject } from './field-rules.js'
import type { DatasetEntry, UnhashedItem } from './item.js'
import { warnOfTags } from './item-file.js'
import type { Spot } from './problem.js'
import { fieldOf, type RowValues, textIn, valueIn } from './row-values.js'

/** The item of a row whose entry is known. Reports every fault; `null` when there was one. */
export function readRowItem(values: RowValues, columns: Columns, entry: DatasetEntry, spot: Spot): UnhashedItem | null {
  const task = readTask(values, columns, spot)
  const tags = readTags(valueIn(values, columns, 'tags'), columns, spot)
  const referenceData = readReferenceData(valueIn(values, columns, 'reference'), columns, spot)
  const metadata = readRowMetadata(values, columns, spot)
  if (task === undefined || tags === undefined || referenceData === undefined || metadata === undefined) return null
  return {
    ...entry,
    task,
    noChange: false,
    tags,
    knowledgeRefs: none,
    before: null,
    reference: null,
    expectedOutput: readExpected(valueIn(values, columns, 'expected')),
    referenceData,
    metadata,
  }
}

const none: readonly string[] = Object.freeze([])

function readTask(values: RowValues, columns: Columns, spot: Spot): string | undefined {
  const task = textIn(values, columns, 'task', spot)
  if (task === undefined || task.trim() !== '') return task
  const { file, item, report } = spot
  const problem = columns.keys.task === undefined ? 'is missing.' : 'is blank.'
  const remedy = 'Say what the agent is to do, or name the column with the option columns.task.'
  report({ file, item, field: fieldOf(columns, 'task', spot), problem, remedy })
  return undefined
}

function readTags(value: unknown, columns: Columns, spot: Spot): readonly string[] | undefined {
  if (value === undefined) return none
  if (typeof value === 'string')
    return Object.freeze(value.split(/[;,]/).flatMap((tag) => (tag.trim() === '' ? [] : [tag.trim()])))
  if (isTexts(value)) {
    warnOfTags(value, fieldOf(columns, 'tags', spot), spot)
    return Object.freeze([...value])
  }
  const problem = `must be a list of texts or a text, not ${printed(value)}.`
  const { file, item, report } = spot
  report({ file, item, field: fieldOf(columns, 'tags', spot), problem, remedy: 'Write ["simple"], or "simple; fast".' })
  return undefined
}

function readReferenceData(value: unknown, columns: Columns, spot: Spot): readonly string[] | undefined {
  if (value === undefined) return none
  if (typeof value === 'string') return Object.freeze([value])
  if (isTexts(value)) return Object.freeze([...value])
  const problem = `must be a list of texts or a text, not ${printed(value)}.`
  const { file, item, report } = spot
  report({ file, item, field: fieldOf(columns, 'reference', spot), problem, remedy: 'Write a list of texts.' })
  return undefined
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

/** A text is a text output, an object in the form of an output is one, anything else is data. */
function readExpected(value: unknown): AgentOutput | null {
  if (value === undefined) return null
  if (typeof value === 'string') return textOutput(value)
  return isOutputObject(value) ? (frozenJson(value, ['expectedOutput']) as AgentOutput) : structuredOutput(value)
}

/** Output, label and whatever else a row has; the keys of a column `metadata` come first. */
function readRowMetadata(values: RowValues, columns: Columns, spot: Spot): JsonObject | undefined {
  const gathered: [key: string, value: unknown][] = []
  for (const key of columns.rest) {
    const value = values[key]
    if (key === 'metadata' && isPlainObject(value)) gathered.unshift(...Object.entries(value))
    else gathered.push([key, value])
  }
  for (const role of ['output', 'label'] as const) {
    const value = valueIn(values, columns, role)
    if (value !== undefined) gathered.push([role, value])
  }
  return gathered.length === 0 ? noMetadata : readMetadata(Object.fromEntries(gathered), spot)
}
