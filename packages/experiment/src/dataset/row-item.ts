import { type AgentOutput, type Json, type JsonObject, structuredOutput, textOutput } from '@jurist/core'
import { frozenJson, isPlainObject } from '@jurist/core/internal'
import * as v from 'valibot'
import { type Columns, jsonOfCell, type Role } from './columns.js'
import { type DatasetEntry, itemIdProblem, itemIdRemedy, type UnhashedItem } from './item.js'
import {
  anyOf,
  checkAt,
  type Expected,
  isInput,
  isOutputObject,
  noMetadata,
  nothingExpected,
  readInput,
  readMetadata,
  settingFields,
  settingsAmong,
  status,
  taskOfInput,
  warnOfTags,
} from './item-fields.js'
import { readItemFiles } from './item-files.js'
import type { Spot } from './problem.js'
import type { RowValues } from './row-file.js'

/** The entry of a row, without an id if the row has none. */
export interface RowEntry extends Pick<DatasetEntry, 'bucket' | 'taskType' | 'status'> {
  readonly id: string | undefined
}

/** A string; a number counts as its digits. */
const cell = v.custom<string | number>(
  (value) => typeof value === 'string' || typeof value === 'number',
  'must be a string',
)
const isStrings = (value: unknown) => Array.isArray(value) && value.every((entry) => typeof entry === 'string')
const cells = v.custom<string | readonly string[]>(
  (value) => typeof value === 'string' || isStrings(value),
  'must be an array of strings or a string',
)
const task = v.pipe(
  v.custom<string | number | object>(
    (value) => typeof value === 'string' || typeof value === 'number' || isInput(value),
    'must be a string, an object or an array of chat messages',
  ),
  v.check((value) => typeof value === 'object' || String(value).trim() !== '', 'is blank'),
)

// Every row passes these. They only check, so that a good row costs no copy.
const entrySchema = v.object({
  id: v.optional(cell),
  bucket: v.optional(cell),
  taskType: v.optional(cell),
  status: v.optional(status),
})
const itemSchema = v.object({ tags: v.optional(cells), reference: v.optional(cells), ...settingFields })
const schemaWithTask = v.object({ ...itemSchema.entries, task })
const schemaWithInput = v.object({ ...itemSchema.entries, task: v.optional(task) })

/** Reads the entry of a row and reports every issue of it; with one, the entry has defaults. */
export function readRowEntry(values: RowValues, columns: Columns, spot: Spot): RowEntry {
  const given = valuesIn(values, columns, entryCells)
  const item = typeof given.id === 'string' ? given.id : null
  const entry = checkRow(entrySchema, given, columns, { ...spot, item })
  const problem = item ? itemIdProblem(item) : undefined
  if (problem !== undefined)
    spot.report({ file: spot.file, item, field: fieldOf(columns, 'id', spot), problem, remedy: itemIdRemedy })
  if (entry === undefined) return { id: item || undefined, bucket: '', taskType: '', status: 'active' }
  const id = String(entry.id ?? '')
  return {
    id: id || undefined,
    bucket: String(entry.bucket ?? ''),
    taskType: String(entry.taskType ?? ''),
    status: entry.status ?? 'active',
  }
}

/** Reads the item of a row whose entry is known and reports every issue; `null` when there is one. */
export function readRowItem(values: RowValues, columns: Columns, entry: DatasetEntry, spot: Spot): UnhashedItem | null {
  const given = { task: undefined, ...valuesIn(values, columns, itemCells) }
  const own = ownInput(values, columns)
  const read = checkRow(own === undefined ? schemaWithTask : schemaWithInput, given, columns, spot)
  const metadata = readRowMetadata(values, columns, spot)
  const files = jsonIn(values, columns, 'files')
  const before = files === undefined ? null : readItemFiles(files, fieldOf(columns, 'files', spot), spot)
  const input = own === undefined ? rowInput(values, columns, metadata) : readInput(own.value, own.field(spot), spot)
  if (read === undefined || input === null) return null
  const { tags = none, reference = none } = read
  if (typeof reference === 'string' && /^\s*\[.*\]\s*$/s.test(reference))
    spot.report({
      file: spot.file,
      item: spot.item,
      field: fieldOf(columns, 'reference', spot),
      problem: 'looks like a list, but is read as one source.',
      remedy: `Write ${columns.emptyIsAbsent ? 'JSON' : 'an array'}: ["…", "…"].`,
      severity: 'warning',
    })
  if (typeof tags !== 'string') warnOfTags(tags, fieldOf(columns, 'tags', spot), spot)
  return {
    ...entry,
    task: read.task === undefined || typeof read.task === 'object' ? taskOfInput(input) : String(read.task),
    input,
    noChange: false,
    tags: typeof tags === 'string' ? separated(tags) : frozen(tags),
    knowledgeRefs: none,
    before,
    reference: null,
    ...readExpected(expectedIn(values, columns)),
    referenceData: typeof reference === 'string' ? Object.freeze([reference]) : frozen(reference),
    metadata,
    ...settingsAmong(read),
    jury: null,
  }
}

function checkRow<Value>(
  schema: v.GenericSchema<Value>,
  given: unknown,
  columns: Columns,
  spot: Spot,
): Value | undefined {
  if (v.is(schema, given)) return given
  return checkAt(schema, given, { ...spot, fieldOf: ([role]) => fieldOf(columns, role as Role, spot) })
}

/** Tags in one string, separated by `;` or `,`. */
function separated(tags: string): readonly string[] {
  return Object.freeze(tags.split(/[;,]/).flatMap((tag) => tag.trim() || []))
}

function frozen(strings: readonly string[]): readonly string[] {
  return strings === none ? none : Object.freeze([...strings])
}

const none: readonly string[] = Object.freeze([])

/** The value in a role. `undefined` for null, and for an empty string where that means nothing (CSV). */
function valueIn(values: RowValues, { keys, emptyIsAbsent }: Columns, role: Role): unknown {
  const key = keys[role]
  const value = key === undefined ? undefined : values[key]
  return value === null || (emptyIsAbsent && value === '') ? undefined : value
}

/** The value in a role; in a cell of CSV, arrays and objects are written as JSON. */
function jsonIn(values: RowValues, columns: Columns, role: Role): unknown {
  const value = valueIn(values, columns, role)
  return (columns.emptyIsAbsent ? jsonOfCell(value) : undefined) ?? value
}

/** The right answer; in a cell of CSV, several are a list of strings. Any other list is an answer as it is written. */
function expectedIn(values: RowValues, columns: Columns): unknown {
  const list = jsonIn(values, columns, 'expected')
  return isStrings(list) ? list : valueIn(values, columns, 'expected')
}

/** The value in a role; in a cell of CSV, numbers are written as digits. */
function numberIn(values: RowValues, columns: Columns, role: Role): unknown {
  const value = valueIn(values, columns, role)
  return columns.emptyIsAbsent && typeof value === 'string' && /^[\d.]+$/.test(value) ? Number(value) : value
}

/** How the value in a role is read. */
interface Cell {
  readonly role: Role
  readonly read: (values: RowValues, columns: Columns, role: Role) => unknown
}

const entryCells: readonly Cell[] = [
  { role: 'id', read: valueIn },
  { role: 'bucket', read: valueIn },
  { role: 'taskType', read: valueIn },
  { role: 'status', read: valueIn },
]
const itemCells: readonly Cell[] = [
  { role: 'task', read: valueIn },
  { role: 'tags', read: jsonIn },
  { role: 'reference', read: jsonIn },
  { role: 'judges', read: jsonIn },
  { role: 'timeoutMs', read: numberIn },
  { role: 'repetitions', read: numberIn },
  { role: 'image', read: valueIn },
]

/** The values of a row by role. A role without a value has no key, so that nothing is checked for it. */
function valuesIn(values: RowValues, columns: Columns, cells: readonly Cell[]): { readonly [role in Role]?: unknown } {
  const found: { [role in Role]?: unknown } = {}
  for (const { role, read } of cells) {
    const value = read(values, columns, role)
    if (value !== undefined) found[role] = value
  }
  return found
}

/** The input that a row gives as such: in its own column, or as its task. */
function ownInput(
  values: RowValues,
  columns: Columns,
): { readonly value: unknown; readonly field: (spot: Spot) => string } | undefined {
  const [inColumn, asTask] = [jsonIn(values, columns, 'input'), valueIn(values, columns, 'task')]
  if (inColumn !== undefined) return { value: inColumn, field: (spot) => fieldOf(columns, 'input', spot) }
  return isInput(asTask) ? { value: asTask, field: (spot) => fieldOf(columns, 'task', spot) } : undefined
}

/** Whether a row gives an input as such, which is not the row itself. */
export function hasOwnInput(values: RowValues, columns: Columns): boolean {
  return ownInput(values, columns) !== undefined
}

/** The row as the input of agents: its task and its metadata, without columns that contain answers or outputs. */
function rowInput(values: RowValues, { forAgents, keys }: Columns, metadata: JsonObject): JsonObject {
  return Object.freeze(
    Object.fromEntries(
      forAgents.map((key) => [key, key === keys.task ? (values[key] as Json) : (metadata[key] ?? null)]),
    ),
  )
}

/** How problems name the value in a role: `line 7, task`, or `[6].task`. */
function fieldOf({ keys }: Columns, role: Role, { prefix }: Spot): string {
  return `${prefix}${prefix.startsWith('[') ? '.' : ', '}${keys[role] ?? role}`
}

/**
 * Accepts a string as a text output, an array as several answers, an object in the form of an output as one, and anything
 * else as data.
 */
function readExpected(value: unknown): Expected {
  if (value === undefined) return nothingExpected
  return Array.isArray(value) ? anyOf(value) : { expectedOutput: outputIn(value), expectedAnyOf: false }
}

function outputIn(value: unknown): AgentOutput {
  if (typeof value === 'string') return textOutput(value)
  return isOutputObject(value) ? (frozenJson(value, ['expectedOutput']) as AgentOutput) : structuredOutput(value)
}

/** Output, label and whatever else a row has; the keys of a column `metadata` come first. */
function readRowMetadata(values: RowValues, columns: Columns, spot: Spot): JsonObject {
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
