import { resolve } from 'node:path'
import type { AgentOutput, Json, JsonObject, Judge, Jury } from '@jurist/core'
import * as v from 'valibot'
import { adds, anyText, fields, record, text, texts, yesOrNo } from '../fields.js'
import { commitHash } from './git-ref.js'
import { type ItemSource, type ItemStatus, itemIdProblem, itemIdRemedy, type UnhashedItem } from './item.js'
import {
  checkAt,
  type Expected,
  expected,
  noMetadata,
  nothingExpected,
  readInput,
  readMetadata,
  settingFields,
  settingsAmong,
  status,
  taskOfInput,
  unknownKeyRemedy,
} from './item-fields.js'
import { filesProblem } from './item-files.js'
import type { Spot } from './problem.js'

/** A task written in the program. Only `task` or `input` is required. */
export interface InlineItem<Input = JsonObject | undefined> {
  /** Default: `row-` and the number of the item, counted from 1. */
  readonly id?: string
  /** Default: `input` as JSON, or as plain text if it is `{ messages }` of a chat. */
  readonly task?: string
  /** An object that the agent receives as `task.input` and templates read as `{{input.<key>}}`. */
  readonly input?: Input
  /** Default: the id. */
  readonly slug?: string
  readonly bucket?: string
  readonly taskType?: string
  /** Default `'active'`. */
  readonly status?: ItemStatus
  readonly tags?: readonly string[]
  /** The right answer is to change nothing. Default `false`. */
  readonly noChange?: boolean
  readonly knowledgeRefs?: readonly string[]
  /** The initial workspace; a string is the path of a directory. Default: an empty workspace. */
  readonly before?: ItemSource | string
  /** The right answer; a string is a directory. */
  readonly reference?: ItemSource | string
  /** A string is a text output; an array holds answers, any of which is right. */
  readonly expectedOutput?: AgentOutput | string | readonly Json[]
  /** The data of `expectedOutput` is an array of answers, any of which is right. Default: `true` for an array. */
  readonly expectedAnyOf?: boolean
  readonly referenceData?: readonly string[]
  readonly metadata?: JsonObject
  /** Judges of this item, in addition to the jury of the experiment. */
  readonly jury?: Jury | Judge | null
  /** The same as a description, which a config can read. */
  readonly judges?: Json | null
  /** Milliseconds for the agent. Default: those of the experiment. */
  readonly timeoutMs?: number | null
  /** The number of repetitions of this item. Default: that of the experiment. */
  readonly repetitions?: number | null
  /** The container image of its sandbox. Default: that of the experiment. */
  readonly image?: string | null
}

const source = v.pipe(
  v.lazy((value) => (typeof value === 'string' ? text : sourceObject)),
  v.transform((value): ItemSource => {
    if (typeof value === 'string') return Object.freeze({ type: 'directory', path: resolve(value) })
    if (value.type === 'files') return filesProblem(value.files) as ItemSource
    return Object.freeze(value.type === 'directory' ? { ...value, path: resolve(value.path) } : value)
  }),
)

function filesIssues(files: unknown) {
  const found = filesProblem(files)
  return typeof found === 'string' ? [{ keys: ['files'], problem: found.slice(0, -1), remedy: 'Correct it.' }] : []
}

const sourceObject = v.variant(
  'type',
  [
    v.object({ type: v.literal('directory'), path: text }),
    v.object({
      type: v.literal('git'),
      repoPath: text,
      commitHash,
      subDirectory: v.optional(v.nullable(text), null),
    }),
    v.pipe(
      v.object({ type: v.literal('files'), files: record }),
      adds(({ files }) => filesIssues(files)),
    ),
  ],
  'must be a directory, or a source with the type "directory", "git" or "files"',
)

const ownJury = v.custom<Jury | Judge>((value) => typeof value === 'function', 'must be a jury or a judge')

const itemSchema = fields(
  {
    id: v.optional(text),
    task: v.optional(text),
    slug: v.optional(text),
    bucket: v.optional(anyText, ''),
    taskType: v.optional(anyText, ''),
    status: v.optional(status, 'active'),
    tags: v.optional(texts, () => []),
    noChange: v.optional(yesOrNo, false),
    knowledgeRefs: v.optional(texts, () => []),
    before: v.optional(source),
    reference: v.optional(source),
    expectedOutput: v.optional(expected),
    expectedAnyOf: v.optional(yesOrNo),
    referenceData: v.optional(texts, () => []),
    metadata: v.optional(record),
    jury: v.nullish(ownJury),
    ...settingFields,
  },
  {
    // An item of another dataset has these as well.
    others: ['input', 'path', 'hash'],
    renamed: { prompt: 'task', developerTask: 'task', tag: 'tags' },
    remedy: unknownKeyRemedy,
  },
)

/** Reads an item, whose id is `fallbackId` unless it has one. Reports every issue; `undefined` when there is one. */
export function readInlineItem(value: unknown, fallbackId: string, spot: Spot): UnhashedItem | undefined {
  const given = checkAt(itemSchema, value, spot)
  if (given === undefined) return undefined
  const input = readGivenInput(value, spot)
  if (input === undefined) return undefined
  const task = given.task ?? (input === null ? undefined : taskOfInput(input))
  if (task === undefined) return refuseWithoutTask(spot)
  const { id = fallbackId, slug = id, before = null, reference = given.noChange ? before : null } = given
  const problem = itemIdProblem(id)
  if (problem !== undefined)
    spot.report({ file: spot.file, item: id, field: `${spot.prefix}.id`, problem, remedy: itemIdRemedy })
  return Object.freeze({
    id,
    slug,
    path: null,
    bucket: given.bucket,
    taskType: given.taskType,
    status: given.status,
    metadata: given.metadata === undefined ? noMetadata : readMetadata(given.metadata, spot),
    task,
    input,
    noChange: given.noChange,
    tags: Object.freeze(given.tags),
    knowledgeRefs: Object.freeze(given.knowledgeRefs),
    before,
    reference,
    ...expectedOf(given),
    referenceData: Object.freeze(given.referenceData),
    ...settingsAmong(given),
    jury: given.jury ?? null,
  })
}

/** The input of an item; `null` without one, `undefined` for a wrong one, which is reported. */
function readGivenInput(value: unknown, spot: Spot): JsonObject | null | undefined {
  const { input } = value as InlineItem
  if (input === undefined || input === null) return null
  return readInput(input, `${spot.prefix}.input`, spot) ?? undefined
}

function refuseWithoutTask({ file, item, prefix, report }: Spot): undefined {
  const remedy = 'Say what the agent is to do: as "task", or as "input".'
  report({ file, item, field: `${prefix}.task`, problem: 'is missing.', remedy })
}

function expectedOf({
  expectedOutput = nothingExpected,
  expectedAnyOf,
}: {
  readonly expectedOutput?: Expected | undefined
  readonly expectedAnyOf?: boolean | undefined
}): Expected {
  return expectedAnyOf === undefined ? expectedOutput : { ...expectedOutput, expectedAnyOf }
}
