import { isJudgeFact, isPlainObject, type OptionRule, option, printed } from '@jurist/core/internal'
import { nearestNames } from '@jurist/kit/did-you-mean'
import { parseOrUndefined } from '@jurist/kit/json'
import * as v from 'valibot'
import { fields, text, withDescription } from '../fields.js'
import type { ColumnMap, ColumnUse, DatasetFile } from './dataset.js'
import { isInput, reservedKeys, reservedProblem, reservedRemedy } from './item-fields.js'
import type { Report } from './problem.js'
import { parsePython } from './python-literal.js'
import type { RowValues } from './row-file.js'

export type Role = Exclude<keyof ColumnMap, 'metadata'>

/** A name as it is compared: `Ground Truth`, `ground-truth` and `groundTruth` are one. */
export function bareName(name: string): string {
  return name.toLowerCase().replace(/[\s_.\-\u200B-\u200D\uFEFF]+/g, '')
}

/** The names that are tried for each role, in this order, as bare names. */
const usualNames: { readonly [role in Role]-?: readonly string[] } = {
  id: ['id', 'itemId'],
  task: [
    ...['task', 'developerTask', 'input', 'prompt', 'question'],
    ...['user_input', 'query', 'instruction', 'messages'],
  ],
  expected: [
    ...['expected', 'expectedOutput', 'ground_truth', 'ground_truths', 'reference'],
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

const roles: readonly Role[] = Object.keys(usualNames) as readonly Role[]

/**
 * Beside one of these columns, `answer` is the output of the system and not the right answer, as in the rows of RAGAS.
 */
const rightBesideAnswer: ReadonlySet<string> = new Set(['groundtruth', 'groundtruths', 'reference'])

/** The names that are tried for a role in a row whose right answer is in the column `expected`. */
function namesOf(role: Role, values: RowValues, expected: string | undefined): readonly string[] {
  if (role === 'output' && expected !== undefined && rightBesideAnswer.has(bareName(expected)))
    return [...usualNames.output, 'answer']
  // Beside a string, an object is the input and not the task.
  if (role === 'task' && fitsRole('input', values['input']))
    return [...usualNames.task.filter((name) => name !== 'input'), 'input']
  return usualNames[role]
}

/** The roles whose columns no agent sees, and whose other usual names are hidden too. */
const answering: readonly Role[] = ['expected', 'output', 'label', 'reference']

const answers: ReadonlySet<string> = new Set([
  ...answering.flatMap((role) => usualNames[role]).map(bareName),
  ...['y', 'ytrue', 'gt', 'ans', 'sol', 'ref', 'key'],
])

/** Words that make any name one of what is right. */
const right: ReadonlySet<string> = new Set(
  'correct expected expectation expectations gold golden truth truths groundtruth oracle ideal canonical'.split(' '),
)
/**
 * Words that mark an answer at the end of a column name, or before a word that only names its form: `answer_key`,
 * `label_id`.
 */
const answerWords: ReadonlySet<string> = new Set(
  `answer answers label labels target targets solution solutions reference references output outputs response responses
  completion completions verdict verdicts rationale rationales explanation explanations proof grade`.split(/\s+/),
)
const forms: ReadonlySet<string> = new Set(
  'key keys id ids idx index indices letter number value values text texts string code sql patch span spans list json raw name'.split(
    ' ',
  ),
)

/** Whether the name of a column suggests that it contains the right answer or an output. */
function namesAnswer(column: string): boolean {
  if (answers.has(bareName(column))) return true
  const words = column
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '')
  const head = words.findLastIndex((word) => !forms.has(word))
  return words.some((word) => right.has(word)) || answerWords.has(words[head] ?? '')
}

/** Whether agents may see a column: neither its role nor its name marks it as an answer or an output. */
function isForAgents(column: string): boolean {
  return column !== 'metadata' && !isJudgeFact(column) && !namesAnswer(column)
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

/**
 * The array or object that a string holds as JSON or as Python prints it, as in a cell of a CSV file; `undefined` for anything
 * else.
 */
export function jsonOfCell(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*(?:[[{(]|array\()/.test(value)) return undefined
  const parsed = parseOrUndefined(value) ?? parsePython(value)
  return Array.isArray(parsed) || isPlainObject(parsed) ? parsed : undefined
}

/** Fields of an `item.json` that rows cannot have. */
const onlyInDirectories: ReadonlySet<string> = new Set(
  ['slug', 'noChange', 'knowledgeRefs', 'before', 'beforeRef', 'referenceRef', 'files', 'setup', 'sandbox'].map((key) =>
    key.toLowerCase(),
  ),
)

export const columnRules = {
  ...Object.fromEntries(roles.map((role) => [role, option.string])),
  input: option.either(option.string, option.strings),
  metadata: option.strings,
} as { readonly [role in keyof ColumnMap]-?: OptionRule }

/** Which key of a row plays which role, and the keys without one, which are metadata. */
export interface Columns {
  readonly keys: { readonly [role in Role]?: string }
  /** Keys that could have a role that another key has. */
  readonly doubles: readonly { readonly role: Role; readonly first: string; readonly others: readonly string[] }[]
  readonly rest: readonly string[]
  /** The keys that make up the input of agents, where no column contains it. */
  readonly forAgents: readonly string[]
  /** Whether an empty string means a missing value, as in CSV. */
  readonly emptyIsAbsent: boolean
}

/** A function that assigns roles to the keys of a row. Rows with the same keys share one result. */
export function columnReader(named: ColumnMap, emptyIsAbsent: boolean): (values: RowValues) => Columns {
  let lastSignature: string | undefined
  let last: Columns = { keys: {}, doubles: [], rest: [], forAgents: [], emptyIsAbsent }
  return function columnsOf(values) {
    const signature = `${Object.keys(values).join('\0')}\0\0${valueRoles.map((role) => fitsRole(role, values[role]))}`
    if (signature !== lastSignature) last = { ...assignRoles(values, named), emptyIsAbsent }
    lastSignature = signature
    return last
  }
}

function assignRoles(values: RowValues, named: ColumnMap): Omit<Columns, 'emptyIsAbsent'> {
  const keys = Object.keys(values)
  const byBareName = new Map(keys.toReversed().map((key) => [bareName(key), key]))
  const keyOf = (name: string) => (keys.includes(name) ? name : byBareName.get(bareName(name)))
  const assigned: { [role in Role]?: string } = {}
  const { input, metadata = [] } = named
  const inputs = typeof input === 'object' ? input.flatMap((name) => keyOf(name) ?? []) : undefined
  const taken = new Set(metadata.flatMap((name) => keyOf(name) ?? []))
  const fitting = (role: Role, names: readonly string[]) =>
    names.flatMap((name) => keyOf(name) ?? []).filter((key) => !taken.has(key) && fitsRole(role, values[key]))
  const assign = (role: Role, key: string | undefined): void => {
    if (key === undefined) return
    assigned[role] = key
    taken.add(key)
  }
  // Named columns go first, so that no default name takes them.
  const isNamed = (role: Role) => typeof named[role] === 'string'
  for (const role of roles) if (isNamed(role)) assign(role, keyOf(named[role] as string))
  const doubles: Columns['doubles'][number][] = []
  for (const role of roles) {
    if (isNamed(role) || (role === 'input' && inputs !== undefined)) continue
    const [first] = fitting(role, namesOf(role, values, assigned.expected))
    assign(role, first)
  }
  for (const [role, first] of Object.entries(assigned) as [Role, string][]) {
    if (isNamed(role)) continue
    const alike = keys.filter((key) => key !== first && bareName(key) === bareName(first))
    const others = [...new Set([...alike, ...fitting(role, usualNames[role])])].filter((key) => !inputs?.includes(key))
    if (others.length > 0) doubles.push({ role, first, others })
  }
  return {
    keys: assigned,
    doubles,
    rest: keys.filter((key) => !Object.values(assigned).includes(key)),
    forAgents:
      inputs === undefined
        ? keys.filter((key) => key === assigned.task || (!taken.has(key) && isForAgents(key)))
        : keys.filter((key) => key === assigned.task || inputs.includes(key)),
  }
}

/** Collects the interpretation of columns over rows that may have different keys. */
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

/** The parts of rows from which doubtful columns are found. */
export type CheckedRows = readonly { readonly row: { readonly values: RowValues }; readonly columns: Columns }[]

/**
 * Without the columns that repeat the right answer in at least half of the rows that have one: an agent must not see it, whatever
 * its column is called. Columns that are named for the input stay.
 */
export function withoutCopies<Rows extends CheckedRows>(
  rows: Rows,
  named: ColumnMap,
): { readonly rows: Rows; readonly copies: ReadonlyMap<string, { readonly same: number; readonly of: number }> } {
  const counts = new Map<string, { same: number; of: number }>()
  for (const { row, columns } of rows) {
    const expected = columns.keys.expected === undefined ? '' : comparable(row.values[columns.keys.expected])
    if (expected === '') continue
    for (const key of columns.forAgents) {
      if (key === columns.keys.task) continue
      const count = counts.get(key) ?? { same: 0, of: 0 }
      counts.set(key, count)
      count.of += 1
      if (comparable(row.values[key]) === expected) count.same += 1
    }
  }
  const copies = new Map([...counts].filter(([, { same }]) => same > 0))
  if (copies.size === 0 || typeof named.input === 'object') return { rows, copies }
  const isCopy = (key: string) => {
    const count = copies.get(key)
    return count !== undefined && 2 * count.same >= count.of
  }
  const changed = new Map<Columns, Columns>()
  const without = (columns: Columns) => {
    const known = changed.get(columns) ?? { ...columns, forAgents: columns.forAgents.filter((key) => !isCopy(key)) }
    changed.set(columns, known)
    return known
  }
  return { rows: rows.map((one) => ({ ...one, columns: without(one.columns) })) as unknown as Rows, copies }
}

function comparable(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).trim().toLowerCase() : ''
}

export interface DoubtfulColumns {
  readonly uses: readonly ColumnUse[]
  readonly named: ColumnMap
  readonly rows: CheckedRows
  readonly copies: ReturnType<typeof withoutCopies>['copies']
}

/** Reports columns that are written twice, and warns about those whose meaning is doubtful. */
export function reportDoubtfulColumns(
  { uses, named, rows, copies }: DoubtfulColumns,
  file: string,
  report: Report,
): void {
  const say = (severity: 'error' | 'warning', problem: string, remedy: string) =>
    report({ file, item: null, field: null, problem, remedy, ...(severity === 'warning' ? { severity } : {}) })
  const doubles = new Map(
    rows.flatMap(({ columns }) =>
      columns.doubles.map((one) => [`${one.role} ${one.first} ${one.others}`, one] as const),
    ),
  )
  const twice = new Set<string>()
  for (const { role, first, others } of doubles.values()) {
    for (const one of others) twice.add(one)
    const all = `the columns ${[first, ...others].map((one) => printed(one)).join(' and ')}`
    const remedy = `Say which one is meant: columns: { ${role}: ${printed(first)} }.`
    const same = others.some((one) => bareName(one) === bareName(first))
    if (same) say('error', `${all} have one name, which stands for ${roleWords(role)}.`, 'Rename one of them.')
    else say('warning', `${all} may both be ${roleWords(role)}: ${printed(first)} is read as it.`, remedy)
  }
  const filled = new Set(uses.map(({ role }) => role))
  const declared = new Set([named.metadata ?? [], named.input ?? []].flat().map(bareName))
  const unknown: string[] = []
  const withheld: string[] = []
  const seen = new Set(rows.flatMap(({ columns }) => columns.forAgents))
  for (const { column, role } of uses) {
    const isKnown = column === 'metadata' || isJudgeFact(column) || declared.has(bareName(column)) || twice.has(column)
    if (role !== 'metadata' || isKnown) continue
    const near = misspelt(
      column,
      roles.filter((one) => !filled.has(one)).flatMap((one) => usualNames[one]),
    )
    if (onlyInDirectories.has(column.toLowerCase()))
      say(
        'warning',
        `the column ${printed(column)} is read as metadata: only items of a directory have it.`,
        'Use a directory with a dataset.json and item.json files for this, or rename the column.',
      )
    else if (reservedKeys.has(column))
      say('warning', `the column ${printed(column)} ${reservedProblem}`, reservedRemedy(column))
    else if (near !== undefined)
      say(
        'warning',
        `the column ${printed(column)} is read as metadata.`,
        `Did you mean ${printed(near)}? Rename it, or name it with the option columns.`,
      )
    else if (!copies.has(column)) (seen.has(column) ? unknown : withheld).push(column)
  }
  for (const [column, { same, of }] of copies)
    say(
      'warning',
      `the column ${printed(column)} equals the expected answer in ${same} of ${of} rows${seen.has(column) ? ', and agents see it' : ': agents do not see it'}.`,
      `If it is one, rename it to expected or name it: columns: { expected: ${printed(column)} }. If agents may see it, name all that they see: columns: { input: [${printed(column)}] }.`,
    )
  const listed = (columns: readonly string[]) =>
    `the column${columns.length === 1 ? '' : 's'} ${columns.map((one) => printed(one)).join(', ')}`
  if (unknown.length > 0)
    say(
      'warning',
      `${listed(unknown)} ${unknown.length === 1 ? 'has' : 'have'} no known name: agents see ${unknown.length === 1 ? 'it' : 'them'} in task.input, judges in the metadata.`,
      `Declare what agents may see: columns: { input: [${unknown.map((one) => printed(one)).join(', ')}] }, and what only judges may: columns: { metadata: […] }.`,
    )
  if (withheld.length > 0)
    say(
      'warning',
      `${listed(withheld)} ${withheld.length === 1 ? 'sounds' : 'sound'} like a right answer: agents do not see ${withheld.length === 1 ? 'it' : 'them'}, judges do, in the metadata.`,
      `Declare what ${withheld.length === 1 ? 'it is' : 'they are'}: columns: { metadata: [${withheld.map((one) => printed(one)).join(', ')}] } for judges alone, input: […] for agents.`,
    )
}

function roleWords(role: Role): string {
  const known: { readonly [one in Role]?: string } = {
    expected: 'the right answer',
    output: 'the answer of the system',
    reference: 'the reference data',
  }
  return known[role] ?? `the ${role}`
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

export const columnMap: v.GenericSchema<unknown, ColumnMap> = fields({
  ...Object.fromEntries(
    roles.map((role) => [role, v.exactOptional(withDescription(text, `Default: ${usualNames[role].join(', ')}.`))]),
  ),
  input: v.exactOptional(
    withDescription(
      v.union([text, v.array(text)]),
      'The column of the input, or all columns that agents see. Default: input.',
    ),
  ),
  metadata: v.exactOptional(withDescription(v.array(text), 'Columns that only judges see.')),
}) as v.GenericSchema<unknown, ColumnMap>

/** The place of a dataset that is not a string. */
export const datasetFile: v.GenericSchema<unknown, DatasetFile> = fields({
  path: withDescription(text, 'The path of a file of rows.'),
  columns: v.exactOptional(
    withDescription(columnMap, 'Which column contains what, if the names are not the usual ones.'),
  ),
}) as v.GenericSchema<unknown, DatasetFile>
