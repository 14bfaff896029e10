import { failureOf, frozenJson } from '@jurist/core/internal'
import * as v from 'valibot'
import { datasetFile } from '../dataset/columns.js'
import { isDatasetPath } from '../dataset/dataset.js'
import { efficiency } from '../efficiency.js'
import type { SchemasOf } from '../fields.js'
import {
  adds,
  anyText,
  callback,
  count,
  type FoundIssue,
  fields,
  notNegative,
  optional,
  positive,
  record,
  says,
  text,
  texts,
  yesOrNo,
} from '../fields.js'
import { isReservedName, isRunId, isSafeName, reservedName, reservedNames } from '../store/names.js'
import { recordedConditions } from './conditions.js'
import type { Budget, Hooks, Retries } from './experiment.js'
import { templateIssues } from './prompt.js'

type Given = Readonly<Record<string, unknown>>

/** A name that can be a directory. */
export const safeName: v.GenericSchema = v.pipe(
  v.string('must be a string'),
  v.check(
    (name) => isSafeName(name),
    `must be 1 to 64 letters, digits, ".", "_" or "-" that can be a directory, and not reserved (${reservedNames})`,
  ),
)
export const runId: v.GenericSchema = v.pipe(
  v.string('must be a string'),
  v.check((id) => isRunId(id), 'must be a run id such as 20261121T091500123Z-4kq7rm'),
)

function hasMethods(value: unknown, ...names: readonly string[]): boolean {
  return (
    typeof value === 'object' && value !== null && names.every((name) => typeof Reflect.get(value, name) === 'function')
  )
}

const openOrItems: v.GenericSchema = v.custom(
  (value) =>
    (typeof value === 'string' && value.trim() !== '') ||
    Array.isArray(value) ||
    hasMethods(value, 'items', 'problems', 'describe'),
  'must be a path, a path with columns, an open dataset or an array of items',
)
export const dataset: v.GenericSchema = v.lazy((value) =>
  typeof value !== 'string' && isDatasetPath(value) ? datasetFile : openOrItems,
)
/** Whether a value is a result store, or a string that can be the path of one. */
export function isStoreOrPath(value: unknown): boolean {
  return (typeof value === 'string' && value.trim() !== '') || hasMethods(value, 'open', 'resume', 'load', 'list')
}

export const knowledge: v.GenericSchema = fields({
  directory: says(text, 'The directory of the files.'),
  files: optional(texts, 'Paths below the directory. Default, and when `index.md` is among them: everything.'),
  into: optional(text, 'The target directory in the workspace. Default: knowledge.'),
  exclude: optional(texts, 'Paths to leave out, in the syntax of `.gitignore`.'),
})
export const environment: v.GenericSchema = fields({
  allow: optional(texts, 'Names of variables of the host that the agent receives.'),
  set: optional(v.record(v.string(), anyText, 'must be an object of strings by name'), 'Further variables.'),
})
export const prompt: v.GenericSchema = v.pipe(
  text,
  adds((template) =>
    templateIssues(template, '').map(({ problem, remedy }) => ({ problem: problem.slice(0, -1), remedy })),
  ),
)
export const json: v.GenericSchema<Given> = v.pipe(record, adds(notJson))
export const conditions: v.GenericSchema = v.pipe(
  json,
  adds((value: Given) =>
    Object.keys(value)
      .filter((name) => recordedConditions.has(name))
      .map((name) => ({ keys: [name], problem: 'is recorded by every run', remedy: 'Use another name.' })),
  ),
)

function notJson(value: Given): readonly FoundIssue[] {
  try {
    frozenJson(value, [])
    return []
  } catch (thrown) {
    return [{ problem: failureOf(thrown).message.replace(/\.$/, ''), remedy: 'Nothing else can be stored.' }]
  }
}

const { problem: reserved } = reservedName()

/** The name of a variant, which is a key. */
export const variantName: v.GenericSchema<string> = v.pipe(
  v.string(),
  v.check((name) => !isReservedName(name), `cannot name a variant: it ${reserved.replace(/\.$/, '')}`),
  v.check(
    (name) => isSafeName(name) || isReservedName(name),
    'cannot name a variant: use letters, digits, ".", "_" and "-"',
  ),
)

export const efficiencyOptions: v.GenericSchema = v.pipe(
  v.union([v.literal(false), record], 'must be an object or false'),
  adds((value): readonly FoundIssue[] => {
    if (value === false) return []
    try {
      efficiency({ status: 'completed' }, value)
      return []
    } catch (thrown) {
      return [{ problem: failureOf(thrown).message.replace(/\.$/, ''), remedy: 'Correct it, or leave it out.' }]
    }
  }),
)

export const budget: v.GenericSchema = fields({
  usd: optional(positive, 'US dollars for the run.'),
  tokens: optional(positive, 'Tokens for the run.'),
  includeJudges: optional(yesOrNo, 'Whether juries count. Default: true.'),
  perItemUsd: optional(positive, 'US dollars for one trial, which is cancelled when its cost exceeds this.'),
} satisfies SchemasOf<Budget>)
export const retries: v.GenericSchema = fields({
  attempts: optional(count, 'All attempts of a trial, the first included. Default: 3.'),
  baseMs: optional(notNegative, 'Milliseconds before the second attempt, doubled each time. Default: 1,000.'),
  maxMs: optional(notNegative, 'The longest delay in milliseconds. Default: 60,000.'),
  jitter: optional(yesOrNo, 'Whether each delay is a random part of that. Default: true.'),
  user: optional(
    v.pipe(v.number('must be a whole number of at least 0'), v.integer(), v.minValue(0)),
    'How often a conversation is held again whose simulated user was at fault. Default: 0.',
  ),
  isInfrastructure: v.optional(callback),
} satisfies SchemasOf<Retries>)
export const hooks: v.GenericSchema = fields({
  beforeAgent: v.optional(callback),
  afterAgent: v.optional(callback),
  beforeJury: v.optional(callback),
} satisfies SchemasOf<Hooks>)
