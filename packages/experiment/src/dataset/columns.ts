import { isPlainObject, type OptionRule, option, printed } from '@jurist/core/internal'
import { nearestNames } from '@jurist/kit/did-you-mean'
import * as v from 'valibot'
import { fields, says, text } from '../fields.js'
import type { ColumnMap, ColumnUse, DatasetFile } from './dataset.js'
import { isInput } from './item-input.js'
import type { Report } from './problem.js'
import { reservedKeys, reservedProblem, reservedRemedy } from './reserved-metadata.js'
import type { RowValues } from './row-file.js'

/** What a column may hold. */
export type Role = keyof ColumnMap

/** The names that are tried for each role, in this order. Case does not matter. */
const usualNames: { readonly [role in Role]-?: readonly string[] } = {
  id: ['id', 'itemId'],
  task: [
    ...['task', 'developerTask', 'input', 'prompt', 'question'],
    ...['user_input', 'query', 'instruction', 'messages'],
  ],
  expected: [
    ...['expected', 'expectedOutput', 'expected_output', 'ground_truth', 'ground_truths', 'groundTruth', 'reference'],
    ...['target', 'ideal', 'answer'],
  ],
  output: ['output', 'actual', 'actual_output', 'response'],
  label: ['label', 'expectedVerdict', 'verdict', 'human_label'],
  tags: ['tags'],
  bucket: ['bucket'],
  taskType: ['taskType'],
  status: ['status'],
  reference: ['referenceData', 'context', 'contexts', 'retrieved_contexts', 'retrieval_context'],
  input: ['input'],
  judges: ['judges'],
  timeoutMs: ['timeoutMs'],
  repetitions: ['repetitions'],
  image: ['image'],
  files: ['files'],
}

/** Every role. */
const roles: readonly Role[] = Object.keys(usualNames) as readonly Role[]

/** Where one of these holds what is right, `answer` is what the system said: as in the rows of RAGAS. */
const rightBesideAnswer: ReadonlySet<string> = new Set(['ground_truth', 'ground_truths', 'groundtruth', 'reference'])

/** The names that are tried for a role in a row whose right answer is in the column `expected`. */
function namesOf(role: Role, values: RowValues, expected: string | undefined): readonly string[] {
  if (role === 'output' && expected !== undefined && rightBesideAnswer.has(expected.toLowerCase()))
    return [...usualNames.output, 'answer']
  // Beside a text, an object is the input and not the task.
  if (role === 'task' && fitsRole('input', values['input']))
    return [...usualNames.task.filter((name) => name !== 'input'), 'input']
  return usualNames[role]
}

/** The roles whose columns no agent sees, by what such a column may be called as well. */
const answering: readonly Role[] = ['expected', 'output', 'label', 'reference']

const answers: ReadonlySet<string> = new Set(
  answering.flatMap((role) => usualNames[role]).map((name) => name.toLowerCase()),
)

/** Whether a column may be seen by an agent: it has no role that says what is right or what was said, nor such a name. */
function isForAgents(column: string): boolean {
  return column !== 'metadata' && !answers.has(column.toLowerCase())
}

/** The roles whose usual names mean something else as often. */
const valueRoles = ['input', 'image', 'files'] as const

type ValueRole = (typeof valueRoles)[number]

/** Names that often mean something else: such a column has its role only where the value fits. */
const fits: { readonly [name in ValueRole]: (value: unknown) => boolean } = {
  input: (value) => isInput(jsonOfCell(value) ?? value),
  image: (value) => typeof value === 'string' && !picture.test(value),
  files: (value) => isPlainObject(jsonOfCell(value) ?? value),
}

const picture = /^(data|https?|file):|\.(png|jpe?g|gif|webp|svg|bmp|tiff?)$|^$/i

/** Whether the value of a row fits the role that the usual name of its column suggests. */
function fitsRole(role: Role, value: unknown): boolean {
  return role in fits ? fits[role as ValueRole](value) : true
}

/** The array or object that a string holds as JSON, as in a cell of a CSV file; `undefined` for anything else. */
export function jsonOfCell(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return undefined
  try {
    const parsed: unknown = JSON.parse(value)
    return Array.isArray(parsed) || isPlainObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

/** Fields of an `item.json` that rows cannot have. */
const onlyInDirectories: ReadonlySet<string> = new Set(
  ['slug', 'noChange', 'knowledgeRefs', 'before', 'beforeRef', 'referenceRef', 'files', 'setup', 'sandbox'].map((key) =>
    key.toLowerCase(),
  ),
)

/** The rules of the option `columns`. */
export const columnRules = Object.fromEntries(roles.map((role) => [role, option.string])) as {
  readonly [role in Role]-?: OptionRule
}

/** Which key of a row plays which role, and the keys without one, which are metadata. */
export interface Columns {
  readonly keys: { readonly [role in Role]?: string }
  readonly rest: readonly string[]
  /** The keys that make up the input of agents, where no column contains it. */
  readonly forAgents: readonly string[]
  /** Whether an empty string means that there is no value, as in CSV. */
  readonly emptyIsAbsent: boolean
}

/** A function that assigns roles to the keys of a row. Rows that are alike share one result. */
export function columnReader(named: ColumnMap, emptyIsAbsent: boolean): (values: RowValues) => Columns {
  let lastSignature: string | undefined
  let last: Columns = { keys: {}, rest: [], forAgents: [], emptyIsAbsent }
  return function columnsOf(values) {
    const signature = `${Object.keys(values).join('\0')}\0\0${valueRoles.map((role) => fitsRole(role, values[role]))}`
    if (signature !== lastSignature) last = { ...assignRoles(values, named), emptyIsAbsent }
    lastSignature = signature
    return last
  }
}

function assignRoles(values: RowValues, named: ColumnMap): Omit<Columns, 'emptyIsAbsent'> {
  const keys = Object.keys(values)
  const byLowerCase = new Map(keys.toReversed().map((key) => [key.toLowerCase(), key]))
  const assigned: { [role in Role]?: string } = {}
  const taken = new Set<string>()
  const assign = (role: Role, names: readonly string[], fit: boolean): void => {
    const candidates = names.map((name) => (keys.includes(name) ? name : byLowerCase.get(name.toLowerCase())))
    const found = candidates.find(
      (key) => key !== undefined && !taken.has(key) && (!fit || fitsRole(role, values[key])),
    )
    if (found === undefined) return
    assigned[role] = found
    taken.add(found)
  }
  // Named columns go first, so that no default name takes them.
  for (const role of roles) if (named[role] !== undefined) assign(role, [named[role]], false)
  for (const role of roles) if (named[role] === undefined) assign(role, namesOf(role, values, assigned.expected), true)
  return {
    keys: assigned,
    rest: keys.filter((key) => !taken.has(key)),
    forAgents: keys.filter((key) => key === assigned.task || (!taken.has(key) && isForAgents(key))),
  }
}

/** Collects what the columns of a file are read as, over rows that may have different keys. */
export function columnUses(): {
  readonly note: (columns: Columns, keys: readonly string[]) => void
  readonly all: () => readonly ColumnUse[]
} {
  const uses = new Map<string, ColumnUse>()
  let last: Columns | undefined
  return {
    note(columns, keys) {
      // Rows with the same keys share one result.
      if (columns === last) return
      last = columns
      const roleOf = new Map(Object.entries(columns.keys).map(([role, key]) => [key, role as Role]))
      for (const column of keys) {
        const role = roleOf.get(column) ?? 'metadata'
        uses.set(`${role} ${column}`, Object.freeze({ column, role }))
      }
    },
    all: () => Object.freeze([...uses.values()]),
  }
}

/** Warns about columns that become metadata although their names suggest another meaning. */
export function reportDoubtfulColumns(uses: readonly ColumnUse[], file: string, report: Report): void {
  const filled = new Set(uses.map(({ role }) => role))
  for (const { column, role } of uses) {
    if (role !== 'metadata' || column === 'metadata') continue
    const warn = (problem: string, remedy: string) =>
      report({ file, item: null, field: null, problem, remedy, severity: 'warning' })
    if (onlyInDirectories.has(column.toLowerCase()))
      warn(
        `the column ${printed(column)} is read as metadata: only items of a directory have it.`,
        'Use a directory with a dataset.json and item.json files for this, or rename the column.',
      )
    if (reservedKeys.has(column)) warn(`the column ${printed(column)} ${reservedProblem}`, reservedRemedy(column))
    const near = misspelt(
      column,
      roles.filter((one) => !filled.has(one)).flatMap((one) => usualNames[one]),
    )
    if (near !== undefined)
      warn(
        `the column ${printed(column)} is read as metadata.`,
        `Did you mean ${printed(near)}? Rename it, or name it with the option columns.`,
      )
  }
}

/** The name that a column misspells. Words that only look alike, such as `state` and `status`, do not count. */
function misspelt(column: string, names: readonly string[]): string | undefined {
  const letters = (word: string) => [...word.toLowerCase()].sort().join('')
  const ends = (word: string) => `${word.at(0)}${word.at(-1)}`.toLowerCase()
  const [near] = nearestNames(column, names)
  // A usual name without its role has a value that does not fit.
  if (near === undefined || column.length < 4 || near.toLowerCase() === column.toLowerCase()) return undefined
  return letters(near) === letters(column) || ends(near) === ends(column) ? near : undefined
}

/** The names of columns by their roles. */
export const columnMap: v.GenericSchema<unknown, ColumnMap> = fields(
  Object.fromEntries(
    roles.map((role) => [role, v.exactOptional(says(text, `Default: ${usualNames[role].join(', ')}.`))]),
  ),
) as v.GenericSchema<unknown, ColumnMap>

/** The place of a dataset that is not a string. */
export const datasetFile: v.GenericSchema<unknown, DatasetFile> = fields({
  path: says(text, 'The path of a file of rows.'),
  columns: v.exactOptional(says(columnMap, 'Which column contains what, if the names are not the usual ones.')),
}) as v.GenericSchema<unknown, DatasetFile>
