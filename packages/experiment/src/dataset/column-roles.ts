import { isPlainObject } from '@jurist/core/internal'
import type { ColumnMap } from './dataset.js'
import { isInput } from './item-input.js'
import type { RowValues } from './row-file.js'

/** What a column may hold. */
export type Role = keyof ColumnMap

/** The names that are tried for each role, in this order. Case does not matter. */
export const usualNames: { readonly [role in Role]-?: readonly string[] } = {
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
export const roles: readonly Role[] = Object.keys(usualNames) as readonly Role[]

/** Where one of these holds what is right, `answer` is what the system said: as in the rows of RAGAS. */
const rightBesideAnswer: ReadonlySet<string> = new Set(['ground_truth', 'ground_truths', 'groundtruth', 'reference'])

/** The names that are tried for a role in a row whose right answer is in the column `expected`. */
export function namesOf(role: Role, values: RowValues, expected: string | undefined): readonly string[] {
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
export function isForAgents(column: string): boolean {
  return column !== 'metadata' && !answers.has(column.toLowerCase())
}

/** The roles whose usual names mean something else as often. */
export const valueRoles = ['input', 'image', 'files'] as const
type ValueRole = (typeof valueRoles)[number]

/** Names that often mean something else: such a column has its role only where the value fits. */
const fits: { readonly [name in ValueRole]: (value: unknown) => boolean } = {
  input: (value) => isInput(jsonOfCell(value) ?? value),
  image: (value) => typeof value === 'string' && !picture.test(value),
  files: (value) => isPlainObject(jsonOfCell(value) ?? value),
}
const picture = /^(data|https?|file):|\.(png|jpe?g|gif|webp|svg|bmp|tiff?)$|^$/i

/** Whether the value of a row fits the role that the usual name of its column suggests. */
export function fitsRole(role: Role, value: unknown): boolean {
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
