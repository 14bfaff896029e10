import { type AgentOutput, type Json, type JsonObject, JuristError, structuredOutput, textOutput } from '@jurist/core'
import { frozenJson, isJudgeFact, isPlainObject, printed } from '@jurist/core/internal'
import * as v from 'valibot'
import { anyText, checkFields, count, milliseconds, text } from '../fields.js'
import { type DatasetItem, type ItemSettings, type ItemStatus, itemStatuses } from './item.js'
import type { Spot } from './problem.js'

// Fields that dataset.json, item.json, items in a program and rows have in common.

/** Checks a value against a schema and reports every issue. `undefined` when there is one. */
export function checkAt<Value>(
  schema: v.GenericSchema<unknown, Value>,
  value: unknown,
  { file, item, prefix, report, fieldOf }: Spot,
): Value | undefined {
  const checked = checkFields(schema, value, { prefix, remedies, fieldOf })
  for (const { field, problem, remedy } of checked.issues)
    report({ file, item, field: field === '' ? null : field, problem, remedy })
  return checked.value
}

const remedies: { readonly [field: string]: string } = {
  '': 'Write a JSON object.',
  name: 'Give the dataset a name.',
  version: 'Give the dataset a version, such as "1.0.0".',
  description: 'Write a string, or leave it out.',
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
  tags: 'Write an array such as ["simple"].',
  knowledgeRefs: 'Write an array of paths below the knowledge directory.',
  referenceData: 'Write an array of strings.',
  expectedOutput: 'Write a string, an array of right answers as strings, or {"type": "structured", "data": …}.',
  metadata: 'Write an object such as {"expectedVerdict": "pass"}.',
  input: 'Write an object such as {"city": "Paris"}, or leave it out.',
  judges: 'Write the name of a jury of the config, or judges as in the config.',
  timeoutMs: 'Write milliseconds such as 60000, or leave it out.',
  repetitions: 'Write a number such as 3, or leave it out.',
  image: 'Write the name of a container image, or leave it out.',
  type: 'Use one of these types.',
  schemaVersion: 'Write "schemaVersion": 1, or install a newer Jurist.',
  repoPath: 'Write a URL, or a path relative to the dataset.',
  commitHash: 'Write the full commit hash in lowercase.',
  subDirectory: 'Name a directory of the repository, or leave it out.',
  beforeRef: 'Write {"repoPath": …, "commitHash": …}, or leave it out.',
  referenceRef: 'Write {"repoPath": …, "commitHash": …}, or leave it out.',
}

export const unknownKeyRemedy = 'Move it into "metadata", or leave it out.'

export const status: v.GenericSchema<ItemStatus> = v.picklist(
  itemStatuses,
  'must be "active", "disabled" or "deprecated"',
)

const outputPart = v.variant(
  'type',
  [
    v.object({ type: v.literal('text'), text: anyText }),
    v.object({
      type: v.literal('image'),
      mediaType: anyText,
      data: v.exactOptional(anyText),
      url: v.exactOptional(anyText),
    }),
    v.object({ type: v.literal('file'), path: anyText, mediaType: v.exactOptional(anyText) }),
  ],
  'must be "text", "image" or "file"',
)

const outputObject = v.variant(
  'type',
  [
    v.object({ type: v.literal('text'), text: anyText }),
    v.object({ type: v.literal('structured'), data: v.unknown() }),
    v.object({ type: v.literal('multimodal'), parts: v.array(outputPart, 'must be an array of parts') }),
  ],
  'must be a string or an output with the type "text", "structured" or "multimodal"',
)

/** An output: a string, or an object as core has it. Its value is the frozen output. */
const output: v.GenericSchema<unknown, AgentOutput> = v.pipe(
  v.lazy((value) => (typeof value === 'string' ? anyText : outputObject)),
  v.transform((value) => {
    return typeof value === 'string' ? textOutput(value) : (frozenJson(value, ['output']) as AgentOutput)
  }),
)

/** The right answer of an item, and whether it is an array of right answers. */
export interface Expected {
  readonly expectedOutput: AgentOutput | null
  readonly expectedAnyOf: boolean
}

export const nothingExpected: Expected = Object.freeze({ expectedOutput: null, expectedAnyOf: false })

/** Several answers, each of which is right. An empty array means that no right answer is known. */
export function anyOf(answers: readonly unknown[]): Expected {
  if (answers.length === 0) return nothingExpected
  return { expectedOutput: structuredOutput(answers), expectedAnyOf: true }
}

/** A right answer: a string, an output, or an array of answers. */
export const expected: v.GenericSchema<unknown, Expected> = v.lazy((value) =>
  Array.isArray(value) ? expectedAnswers : expectedAnswer,
)

const expectedAnswer: v.GenericSchema<unknown, Expected> = v.pipe(
  v.lazy(() => output),
  v.transform((expectedOutput): Expected => ({ expectedOutput, expectedAnyOf: false })),
)

const expectedAnswers: v.GenericSchema<unknown, Expected> = v.pipe(
  v.array(v.unknown(), 'must be an array'),
  v.check((value) => isStorable(value), 'cannot be stored'),
  v.transform((answers) => anyOf(answers)),
)

/** Whether a value of a dataset can be kept as JSON: its keys and its depth. */
function isStorable(value: unknown): boolean {
  try {
    frozenJson(value, ['value'])
    return true
  } catch {
    return false
  }
}

/** Whether a value has the form of an output object. */
export function isOutputObject(value: unknown): boolean {
  return v.is(outputObject, value)
}

export const noMetadata: JsonObject = Object.freeze({})

/** A frozen copy of metadata. Reports values that cannot be stored, and then returns no metadata. */
export function readMetadata(value: unknown, spot: Spot): JsonObject {
  if (!isPlainObject(value)) return noMetadata
  try {
    return frozenJson(value, ['metadata']) as JsonObject
  } catch (thrown) {
    if (!JuristError.is(thrown, 'metadata-invalid')) throw thrown
    const { file, item, prefix, report } = spot
    const { path } = thrown.details
    const field = prefix === '' ? path : `${prefix}.${path}`
    report({ file, item, field, problem: 'cannot be stored.', remedy: 'Rename the key, or nest less deeply.' })
    return noMetadata
  }
}

/** Warns about tags that a filter would miss because of white space around them. */
export function warnOfTags(tags: readonly string[], field: string, { file, item, report }: Spot): void {
  for (const tag of tags) {
    if (tag === tag.trim()) continue
    const problem = `the tag ${printed(tag)} has spaces around it.`
    report({ file, item, field, problem, remedy: `Write ${printed(tag.trim())}.`, severity: 'warning' })
  }
}

const wanted = 'must be the name of a jury, an object of judges or an array of judges'

/** The form of described judges. Their options are checked with the config that they belong to. */
const describedJudges = v.pipe(
  v.custom<Json>((value) => {
    if (typeof value === 'string') return value.trim() !== ''
    return Array.isArray(value) ? value.length > 0 : isPlainObject(value) && Object.keys(value).length > 0
  }, wanted),
  v.check((value) => isStorable(value), 'cannot be stored'),
)

type Optional<Value> = v.NullishSchema<v.GenericSchema<Value>, undefined>

/** The schemas of the settings, for an object of fields. `null` is the same as a missing key. */
export const settingFields: {
  readonly judges: Optional<Json>
  readonly timeoutMs: Optional<number>
  readonly repetitions: Optional<number>
  readonly image: Optional<string>
} = {
  judges: v.nullish(describedJudges),
  timeoutMs: v.nullish(milliseconds),
  repetitions: v.nullish(count),
  image: v.nullish(text),
}

/** The settings among the fields of an item. */
export function settingsAmong(
  given: {
    readonly [name in keyof ItemSettings]?: ItemSettings[name] | undefined
  },
): ItemSettings {
  const { judges = null, timeoutMs = null, repetitions = null, image = null } = given
  return { judges: judges === null ? null : frozenJson(judges, ['judges']), timeoutMs, repetitions, image }
}

export const noSettings: ItemSettings = Object.freeze(settingsAmong({}))

/** The output that an item has already, in `metadata.output`, where a row's column goes; `undefined` without one. */
export function outputOfItem({ metadata }: Pick<DatasetItem, 'metadata'>): AgentOutput | undefined {
  const output = Object.hasOwn(metadata, 'output') ? metadata['output'] : undefined
  if (output === undefined || output === null) return undefined
  if (typeof output === 'string') return textOutput(output)
  return isOutputObject(output) ? (output as unknown as AgentOutput) : structuredOutput(output)
}

/** A message of a chat, in the form of the model protocols: other keys are kept. */
interface ChatMessage {
  readonly role: string
  /** A string, or parts; those with a `text` count. */
  readonly content?: unknown
}

function isMessages(value: unknown): value is readonly ChatMessage[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((message) => isPlainObject(message) && typeof message['role'] === 'string')
  )
}

/** Whether a value has the form of an input: an object, or an array of chat messages. */
export function isInput(value: unknown): boolean {
  return isPlainObject(value) || isMessages(value)
}

/**
 * The input in a value, frozen: an object, or `{ messages }` for an array of chat messages. Reports anything else, and then
 * returns `null`.
 */
export function readInput(value: unknown, field: string, { file, item, report }: Spot): JsonObject | null {
  const given = isMessages(value) ? { messages: value } : value
  if (!isPlainObject(given)) {
    const remedy = 'Write {"city": "Paris"}, or [{"role": "user", "content": "Hello"}].'
    report({ file, item, field, problem: 'must be an object or an array of chat messages.', remedy })
    return null
  }
  try {
    return frozenJson(given, [field]) as JsonObject
  } catch (thrown) {
    if (!JuristError.is(thrown, 'metadata-invalid')) throw thrown
    report({ file, item, field, problem: 'cannot be stored.', remedy: 'Rename the key, or nest less deeply.' })
    return null
  }
}

/** The task of an item that has only an input: the text of a single message, several with their roles, otherwise JSON. */
export function taskOfInput(input: JsonObject): string {
  const { messages, ...others } = input
  if (!isMessages(messages) || Object.keys(others).length > 0) return JSON.stringify(input, null, 2)
  const [first] = messages
  if (messages.length === 1 && first?.role === 'user') return textOf(first)
  return messages.map((message) => `${message.role}: ${textOf(message)}`).join('\n\n')
}

function textOf({ content, ...rest }: ChatMessage): string {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map(partText).join('\n')
  return JSON.stringify(content ?? rest)
}

function partText(part: unknown): string {
  if (typeof part === 'string') return part
  if (!isPlainObject(part)) return JSON.stringify(part)
  return typeof part['text'] === 'string' ? part['text'] : `[${String(part['type'] ?? 'part')}]`
}

/** Keys of a context's metadata that only a run sets. */
export const reservedKeys: ReadonlySet<string> = new Set([
  ...['itemId', 'itemSlug', 'bucket', 'taskType', 'tags', 'noChange'],
  ...['repetition', 'variant', 'runId', 'experimentName', 'attempt', 'knowledge'],
  ...['testsLock', 'recordTests'],
  ...['sessionId', 'usage', 'costUsd', 'phases', 'plan', 'analysis'],
])

/** Whether an agent may not set a key: the reserved ones, and the facts that judges rely on. */
export function isKeptFromAgents(key: string): boolean {
  return reservedKeys.has(key) || isJudgeFact(key)
}

/** Warns about metadata of an item that no judge sees, because the run sets the same key. */
export function warnOfReservedKeys(metadata: JsonObject, { file, item, prefix, report }: Spot): void {
  for (const key of Object.keys(metadata)) {
    if (!reservedKeys.has(key)) continue
    const field = `${prefix === '' ? '' : `${prefix}.`}metadata.${key}`
    report({ file, item, field, problem: reservedProblem, remedy: reservedRemedy(key), severity: 'warning' })
  }
}

export const reservedProblem = 'is not seen by judges: a run sets this key itself.'

export function reservedRemedy(key: string): string {
  return `Rename it, such as ${printed(`own_${key}`)}.`
}
