import { type OptionRule, option } from '@jurist/core'
import type { ColumnMap } from './dataset.js'

/** What a column may hold. */
export type Role = keyof ColumnMap

/** The names that are tried for each role, in this order. Upper and lower case count as equal. */
const usualNames: { readonly [role in Role]-?: readonly string[] } = {
  id: ['id', 'itemId'],
  task: ['task', 'developerTask', 'input', 'prompt', 'question'],
  expected: ['expected', 'expectedOutput', 'reference', 'target', 'answer'],
  output: ['output', 'actual', 'response'],
  label: ['label', 'expectedVerdict', 'verdict'],
  tags: ['tags'],
  bucket: ['bucket'],
  taskType: ['taskType'],
  status: ['status'],
  reference: ['referenceData', 'context'],
}

const roles = Object.keys(usualNames) as readonly Role[]

/** The rules of the option `columns`. */
export const columnRules: { readonly [role in Role]-?: OptionRule } = {
  id: option.string,
  task: option.string,
  expected: option.string,
  output: option.string,
  label: option.string,
  tags: option.string,
  bucket: option.string,
  taskType: option.string,
  status: option.string,
  reference: option.string,
}

/** Which key of a row plays which role, and the keys without one: they are metadata. */
export interface Columns {
  readonly keys: { readonly [role in Role]?: string }
  readonly rest: readonly string[]
  /** Whether an empty text means that there is nothing, as in CSV. */
  readonly emptyIsAbsent: boolean
}

/** A function that assigns roles to the keys of a row. Rows alike in keys share one answer. */
export function columnReader(named: ColumnMap, emptyIsAbsent: boolean): (keys: readonly string[]) => Columns {
  let lastSignature: string | undefined
  let last: Columns = { keys: {}, rest: [], emptyIsAbsent }
  return function columnsOf(keys) {
    const signature = keys.join('\0')
    if (signature !== lastSignature) last = { ...assignRoles(keys, named), emptyIsAbsent }
    lastSignature = signature
    return last
  }
}

function assignRoles(keys: readonly string[], named: ColumnMap): Omit<Columns, 'emptyIsAbsent'> {
  const byLowerCase = new Map(keys.toReversed().map((key) => [key.toLowerCase(), key]))
  const assigned: { [role in Role]?: string } = {}
  const taken = new Set<string>()
  const assign = (role: Role, names: readonly string[]): void => {
    const candidates = names.map((name) => (keys.includes(name) ? name : byLowerCase.get(name.toLowerCase())))
    const found = candidates.find((key) => key !== undefined && !taken.has(key))
    if (found === undefined) return
    assigned[role] = found
    taken.add(found)
  }
  // What was named goes first, so that no usual name takes its column.
  for (const role of roles) if (named[role] !== undefined) assign(role, [named[role]])
  for (const role of roles) if (named[role] === undefined) assign(role, usualNames[role])
  return { keys: assigned, rest: keys.filter((key) => !taken.has(key)) }
}
