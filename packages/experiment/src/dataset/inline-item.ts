import { resolve } from 'node:path'
import type { AgentOutput, JsonObject } from '@jurist/core'
import * as v from 'valibot'
import { anyText, fields, record, text, texts, yesOrNo } from '../fields.js'
import { commitHash } from './git-ref.js'
import { type ItemSource, type ItemStatus, itemIdProblem, itemIdRemedy, type UnhashedItem } from './item.js'
import { checkAt, noMetadata, output, readMetadata, status, unknownKeyRemedy } from './item-fields.js'
import type { Spot } from './problem.js'

/** A task written in the program. Only `task` is required. */
export interface InlineItem {
  /** Default: `row-` and the number of the item, counted from 1. */
  readonly id?: string
  readonly task: string
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
  /** What the agent begins with; a string is a directory. Default: an empty workspace. */
  readonly before?: ItemSource | string
  /** The right answer; a string is a directory. */
  readonly reference?: ItemSource | string
  /** A string is a text output. */
  readonly expectedOutput?: AgentOutput | string
  readonly referenceData?: readonly string[]
  readonly metadata?: JsonObject
}

const source = v.pipe(
  v.lazy((value) => (typeof value === 'string' ? text : sourceObject)),
  v.transform((value): ItemSource => {
    if (typeof value === 'string') return Object.freeze({ type: 'directory', path: resolve(value) })
    return Object.freeze(value.type === 'directory' ? { ...value, path: resolve(value.path) } : value)
  }),
)

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
  ],
  'must be a directory, or a source with the type "directory" or "git"',
)

const itemSchema = fields(
  {
    id: v.optional(text),
    task: text,
    slug: v.optional(text),
    bucket: v.optional(anyText, ''),
    taskType: v.optional(anyText, ''),
    status: v.optional(status, 'active'),
    tags: v.optional(texts, () => []),
    noChange: v.optional(yesOrNo, false),
    knowledgeRefs: v.optional(texts, () => []),
    before: v.optional(source),
    reference: v.optional(source),
    expectedOutput: v.optional(output),
    referenceData: v.optional(texts, () => []),
    metadata: v.optional(record),
  },
  {
    // An item of another dataset has these as well.
    others: ['path', 'hash'],
    renamed: { prompt: 'task', developerTask: 'task', tag: 'tags' },
    remedy: unknownKeyRemedy,
  },
)

/** Reads an item, whose id is `fallbackId` unless it has one. Reports every issue; `undefined` when there is one. */
export function readInlineItem(value: unknown, fallbackId: string, spot: Spot): UnhashedItem | undefined {
  const given = checkAt(itemSchema, value, spot)
  if (given === undefined) return undefined
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
    task: given.task,
    noChange: given.noChange,
    tags: Object.freeze(given.tags),
    knowledgeRefs: Object.freeze(given.knowledgeRefs),
    before,
    reference,
    expectedOutput: given.expectedOutput ?? null,
    referenceData: Object.freeze(given.referenceData),
  })
}
