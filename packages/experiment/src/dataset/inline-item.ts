import { resolve } from 'node:path'
import type { AgentOutput, JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import * as v from 'valibot'
import { checkFields, checkKeys, noMetadata, readMetadata } from './check-fields.js'
import { anyText, output, record, status, text, texts, yesOrNo } from './field-rules.js'
import type { ItemSource, ItemStatus, UnhashedItem } from './item.js'
import { itemIdProblem, itemIdRemedy } from './item-id.js'
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
  /** What the agent begins with; a text is a directory. Default: an empty workspace. */
  readonly before?: ItemSource | string
  /** The right answer; a text is a directory. */
  readonly reference?: ItemSource | string
  /** A text is a text output. */
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
      commitHash: v.pipe(v.string('must be a text'), v.regex(/^[0-9a-f]{4,64}$/, 'is not lowercase hex')),
      subDirectory: v.optional(v.nullable(text), null),
    }),
  ],
  'must be a directory, or a source with the type "directory" or "git"',
)

const rules = v.object({
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
})

/** With those that an item of another dataset brings along. */
const keys = [...Object.keys(rules.entries), 'path', 'hash']

/** The item that was written; `fallbackId` when it has none. Every fault is reported; `undefined` when there was one. */
export function readInlineItem(value: unknown, fallbackId: string, spot: Spot): UnhashedItem | undefined {
  if (isPlainObject(value)) checkKeys(value, keys, spot, { prompt: 'task', developerTask: 'task', tag: 'tags' })
  const given = checkFields(rules, value, spot)
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
