import { printed } from '@jurist/core/internal'
import type { Columns, Role } from './columns.js'
import type { DatasetEntry, ItemStatus } from './item.js'
import { itemStatuses } from './item.js'
import { itemIdProblem, itemIdRemedy } from './item-id.js'
import type { Spot } from './problem.js'

/** The values of a row by their keys. */
export type RowValues = Readonly<Record<string, unknown>>

/** What a row says about its entry; without an id when it gives none. */
export interface RowEntry extends Pick<DatasetEntry, 'bucket' | 'taskType' | 'status'> {
  readonly id: string | undefined
}

/** The value in a role. `undefined` for null, and for an empty text where that means nothing (CSV). */
export function valueIn(values: RowValues, { keys, emptyIsAbsent }: Columns, role: Role): unknown {
  const key = keys[role]
  const value = key === undefined ? undefined : values[key]
  return value === null || (emptyIsAbsent && value === '') ? undefined : value
}

/** The value in a role as a text, `''` without one; a number counts as its digits. Anything else is reported. */
export function textIn(values: RowValues, columns: Columns, role: Role, spot: Spot): string | undefined {
  const value = valueIn(values, columns, role)
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  const { file, item, report } = spot
  const problem = `must be a text, not ${printed(value)}.`
  report({ file, item, field: fieldOf(columns, role, spot), problem, remedy: 'Write a text.' })
  return undefined
}

/** How problems call the value in a role: `line 7, task`, or `[6].task`. */
export function fieldOf({ keys }: Columns, role: Role, { prefix }: Spot): string {
  return `${prefix}${prefix.startsWith('[') ? '.' : ', '}${keys[role] ?? role}`
}

/** Reads what is known of a row before it is an item, and reports every fault of it. */
export function readRowEntry(values: RowValues, columns: Columns, spot: Spot): RowEntry {
  const id = textIn(values, columns, 'id', spot) || undefined
  const problem = id === undefined ? undefined : itemIdProblem(id)
  const { file, report } = spot
  if (problem !== undefined)
    report({ file, item: id ?? null, field: fieldOf(columns, 'id', spot), problem, remedy: itemIdRemedy })
  return {
    id,
    bucket: textIn(values, columns, 'bucket', spot) ?? '',
    taskType: textIn(values, columns, 'taskType', spot) ?? '',
    status: readStatus(values, columns, id ?? null, spot),
  }
}

function readStatus(values: RowValues, columns: Columns, item: string | null, spot: Spot): ItemStatus {
  const value = valueIn(values, columns, 'status') ?? 'active'
  const status = itemStatuses.find((known) => known === value)
  if (status !== undefined) return status
  const { file, report } = spot
  const problem = `${printed(value)} is no status.`
  report({
    file,
    item,
    field: fieldOf(columns, 'status', spot),
    problem,
    remedy: 'Use active, disabled or deprecated.',
  })
  return 'active'
}
