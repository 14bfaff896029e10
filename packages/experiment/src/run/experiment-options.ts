import { failureOf, frozenJson } from '@jurist/core/internal'
import * as v from 'valibot'
import { datasetFile } from '../dataset/columns.js'
import { isDatasetPath } from '../dataset/dataset.js'
import { filterSchema } from '../dataset/filter-schema.js'
import { efficiency } from '../efficiency.js'
import type { SchemasOf } from '../fields.js'
import {
  adds,
  allOrSome,
  anyText,
  callback,
  count,
  type FoundIssue,
  fields,
  milliseconds,
  notNegative,
  optional,
  positive,
  record,
  text,
  texts,
  withDescription,
  yesOrNo,
} from '../fields.js'
import { baselineVariant } from '../result/run-kind.js'
import { isReservedName, isRunId, isSafeName, reservedName, reservedNames } from '../store/names.js'
import type {
  Budget,
  ExperimentOptions,
  Hooks,
  Matrix,
  Retries,
  VariantOverrides,
  VetExpectations,
} from './experiment.js'
import { templateIssues } from './prompt.js'
import { itemJuryChoices, recordedConditions } from './settings.js'

// Every option of an experiment is declared here once, with its schema, description and default. The checks, the JSON Schema of a
// config and docs/reference/config.md follow from the declaration; the compiler compares it with the interfaces.

type Given = Readonly<Record<string, unknown>>

/** Experiment names become directory names. */
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
const dataset: v.GenericSchema = v.lazy((value) =>
  typeof value !== 'string' && isDatasetPath(value) ? datasetFile : openOrItems,
)
/** Whether a value is a result store, or a string that can be the path of one. */
export function isStoreOrPath(value: unknown): boolean {
  return (typeof value === 'string' && value.trim() !== '') || hasMethods(value, 'open', 'resume', 'load', 'list')
}

const knowledge: v.GenericSchema = fields({
  directory: withDescription(text, 'The directory of the files.'),
  files: optional(texts, 'Paths below the directory. Default, and when `index.md` is among them: everything.'),
  into: optional(text, 'The target directory in the workspace. Default: knowledge.'),
  exclude: optional(texts, 'Paths to leave out, in the syntax of `.gitignore`.'),
})
const environment: v.GenericSchema = fields({
  allow: optional(texts, 'Names of variables of the host that the agent receives.'),
  set: optional(v.record(v.string(), anyText, 'must be an object of strings by name'), 'Further variables.'),
})
const prompt: v.GenericSchema = v.pipe(
  text,
  adds((template) =>
    templateIssues(template, '').map(({ problem, remedy }) => ({ problem: problem.slice(0, -1), remedy })),
  ),
)
const json: v.GenericSchema<Given> = v.pipe(record, adds(notJson))
const conditions: v.GenericSchema = v.pipe(
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
const variantName: v.GenericSchema<string> = v.pipe(
  v.string(),
  v.check((name) => !isReservedName(name), `cannot name a variant: it ${reserved.replace(/\.$/, '')}`),
  v.check(
    (name) => isSafeName(name) || isReservedName(name),
    'cannot name a variant: use letters, digits, ".", "_" and "-"',
  ),
)

const efficiencyOptions: v.GenericSchema = v.pipe(
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

const budget: v.GenericSchema = fields({
  usd: optional(positive, 'US dollars for the run.'),
  tokens: optional(positive, 'Tokens for the run.'),
  includeJudges: optional(yesOrNo, 'Whether juries count. Default: true.'),
  perItemUsd: optional(positive, 'US dollars for one trial, which is cancelled when its cost exceeds this.'),
} satisfies SchemasOf<Budget>)
const retries: v.GenericSchema = fields({
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
const hooks: v.GenericSchema = fields({
  beforeAgent: v.optional(callback),
  afterAgent: v.optional(callback),
  beforeJury: v.optional(callback),
} satisfies SchemasOf<Hooks>)

/**
 * An option with its description and default, both Markdown. Without `standard` the default is that of `defaults`, else
 * `none`.
 */
function option(schema: v.GenericSchema, description: string, standard?: string) {
  return v.pipe(v.optional(schema), v.metadata({ description, standard }))
}

/** An option that has to be given. */
function required(schema: v.GenericSchema, description: string, standard = 'required') {
  return v.pipe(schema, v.metadata({ description, standard }))
}

/** Options that a variant may also override. */
const replaceable = {
  prompt: option(prompt, 'a template: `{{task}}`, `{{id}}`, `{{tags}}`, `{{metadata.KEY}}`, `{{input.KEY}}`, …'),
  systemPrompt: option(anyText, 'passed to the agent'),
  model: option(text, 'passed to the agent'),
  knowledge: option(knowledge, 'files copied into the workspace: `directory`, `files`, `into`, `exclude`'),
  environment: option(
    environment,
    'variables for the agent, in `task.env`: `allow` (names of variables of the host), `set`',
  ),
  conditions: option(conditions, 'JSON: further conditions of the measurement'),
  metadata: option(json, 'JSON: facts that are copied to the result'),
}

const agent = v.function('must be an agent: a function of a task')

const variant = fields({
  ...replaceable,
  agent: v.optional(agent),
  iteration: optional(
    fields({
      finding: optional(anyText, 'What an earlier run showed.'),
      hypothesis: optional(anyText, 'What the variant is meant to change.'),
    }),
    'Why the variant exists.',
  ),
} satisfies SchemasOf<VariantOverrides>)

const variants = v.pipe(
  record,
  v.record(variantName, variant),
  v.check((value) => Object.keys(value).length > 0, 'must have at least one variant'),
)

function axis(value: v.GenericSchema) {
  const values = v.union(
    [v.array(value), v.pipe(record, v.record(v.string(), value))],
    'must be an array of values, or values by name',
  )
  return v.pipe(
    values,
    v.check((given) => Object.keys(given).length > 0, 'must have at least one value'),
  )
}

const share = v.pipe(
  v.number('must be a number'),
  v.minValue(0, 'must be from 0 to 1'),
  v.maxValue(1, 'must be from 0 to 1'),
)

const vet = fields({
  accepted: optional(
    v.array(
      fields({
        probe: v.pipe(text, v.metadata({ description: 'The name of a probe.' })),
        reason: v.pipe(text, v.metadata({ description: 'Why it is acceptable that it gets through.' })),
      }),
    ),
    'Probes that are known to get through.',
  ),
  survival: optional(share, 'The largest acceptable share of mutants that survive, 0 to 1.'),
  strict: optional(share, 'The largest acceptable share of items whose tests are proven to be too strict, 0 to 1.'),
  solution: optional(texts, 'Globs of the files of a reference that an agent would write. Default: all but tests.'),
} satisfies SchemasOf<VetExpectations>)

const baseline = v.union(
  [
    v.literal('latest'),
    runId,
    v.pipe(
      v.string(),
      v.check((name) => baselineVariant(name) !== undefined),
    ),
  ],
  'must be the id of a run, "latest", or "variant:" and the name of a variant',
)

export const mostVariants = 64

const matrix = v.pipe(
  fields({
    agent: v.optional(v.pipe(record, v.record(v.string(), agent))),
    model: optional(axis(text), 'Models by name, as `model` of a variant.'),
    prompt: optional(axis(prompt), 'Templates, as `prompt` of a variant.'),
    systemPrompt: optional(axis(anyText), 'System prompts.'),
  } satisfies SchemasOf<Matrix>),
  v.check((value) => Object.keys(value).length > 0, 'must have at least one axis'),
)

export const experimentEntries: SchemasOf<ExperimentOptions> = {
  name: required(
    safeName,
    '1 to 64 letters, digits, `.`, `_`, `-`; in a config it is the key, and is left out',
    'the key',
  ),
  dataset: required(
    dataset,
    'the path of a dataset, `{ path, columns }` of a file of rows, an open dataset, or an array of items (`task`, `id`, `before`, `expectedOutput`, …)',
  ),
  agent: option(agent, 'a function of a task', '`storedOutputs()`, if every item has an output'),
  jury: option(
    v.function('must be a jury or a judge: a function of a context'),
    'a jury, or a judge alone',
    'none: trials end `not-judged`',
  ),
  itemJury: option(
    v.picklist(itemJuryChoices, 'must be "join", "first" or "replace"'),
    'what the judges of an item do: `join` the jury, and both must pass; judge `first`, and the jury only where they do not fail; or `replace` it',
  ),
  trustItems: option(
    yesOrNo,
    'judges of items may load modules, describe models, and run commands outside of a sandbox',
  ),
  describedJudges: option(
    callback,
    'makes judges of what items describe: `describedJudges()`; the command gives it to every experiment',
    'none; the command: the juries and models of the config',
  ),
  ...replaceable,
  variants: option(
    variants,
    'by name, what differs: `agent`, `model`, `prompt`, `systemPrompt`, `knowledge`, `environment`, `metadata`, `conditions`, `iteration`',
    'none; the command runs all of them',
  ),
  matrix: option(
    matrix,
    `variants of every combination: lists, or values by name, of \`model\`, \`prompt\`, \`systemPrompt\`, \`agent\`; at most ${mostVariants}`,
  ),
  filter: option(filterSchema, "which items: `{ tags: ['numbers'] }`, with `and`, `or`, `not`", 'the active ones'),
  repetitions: option(count, 'how often each item runs'),
  concurrency: option(count, 'trials that run concurrently'),
  judgeConcurrency: option(count, 'juries that run concurrently', '`concurrency`'),
  itemTimeoutMs: option(milliseconds, 'for the agent'),
  judgeTimeoutMs: option(milliseconds, 'for the whole jury of one trial'),
  setupTimeoutMs: option(milliseconds, 'for workspace, knowledge and hooks'),
  experimentTimeoutMs: option(milliseconds, 'for the run', 'no limit'),
  budget: option(budget, '`usd`, `tokens` of a run; `perItemUsd` of a trial; `includeJudges` (true)', 'no limit'),
  retries: option(
    retries,
    'of infrastructure failures: `attempts` (3, the first included), `baseMs` (1,000), `maxMs` (60,000), `jitter` (true), `isInfrastructure`; `user` (0): how often a conversation is held again whose user was at fault',
    'as in brackets',
  ),
  bail: option(
    v.union([v.boolean(), count], 'must be true, false or a whole number of at least 1'),
    'stop after the first (`true`) or the n-th trial that failed or decided nothing',
    '`false`',
  ),
  maxInfrastructureFailures: option(
    v.union([v.literal(false), count], 'must be a whole number of at least 1, or false'),
    'stop when this many trials in a row ended without a result because the infrastructure failed; `false`: never',
    '5',
  ),
  judgeFailedRuns: option(yesOrNo, 'juries also judge agents that timed out or failed'),
  preserveWorkspaces: option(
    v.picklist(['all', 'failed', 'none'], 'must be "all", "failed" or "none"'),
    'which workspaces are kept: `all`, `failed` or `none`',
    '`all`; `none` if the store keeps no files',
  ),
  provision: option(callback, 'makes the workspace of a trial', '`copyWorkspaces()`'),
  vet: option(
    vet,
    'what `jurist vet` expects: `accepted` (probes that are known to get through: `probe`, `reason`), `survival` (the largest acceptable share of mutants that survive), `strict` (the largest acceptable share of items whose tests are proven to be too strict), `solution` (globs of the files of a reference that an agent would write; default: all but tests)',
    'nothing is accepted',
  ),
  hooks: option(hooks, '`beforeAgent`, `afterAgent`, `beforeJury`'),
  baseline: option(
    baseline,
    'the run to compare with: the id of a run; `latest`, the newest earlier run of the same variant outside of the session; `variant:NAME`, that variant in the same session',
  ),
  quarantine: option(
    v.union(
      [
        v.literal(false),
        fields({ most: optional(share, 'The share of active items that may be in quarantine. Default: 0.1.') }),
      ],
      'must be an object or false',
    ),
    'the items that [`quarantine.yaml`](../guide/regressions.md#quarantine-flaky-items) lists: `most` (0.1), the share of active items that it may list; `false`: all items count',
    'the file, if there is one',
  ),
  allowAbstain: option(
    allOrSome,
    'judges that may decide nothing in a whole run: a list of names or places, or `true` for all',
    'none: exit code 1',
  ),
  journal: option(yesOrNo, 'write what agents record'),
  recordPrompts: option(yesOrNo, 'keep what model judges asked, at most 8,000 characters of each judgment'),
  askThrough: option(
    callback,
    'replaces the model that a judge asks, for example by the same behind a cache; the command sets it for `--cache`',
  ),
  efficiency: option(efficiencyOptions, 'how economically the agent worked, an object of options', '`false`'),
  projectDirectory: option(text, 'the project whose commit is recorded', "the config's directory"),
  requireCleanGit: option(allOrSome, 'refuse uncommitted changes: `true`, or an array of paths', '`false`'),
  store: option(
    v.custom(isStoreOrPath, 'must be a result store or the path of a directory'),
    'for `runExperiment`; the command uses one store for everything',
    'in memory',
  ),
}

/** The options of an experiment except those that its matrix generates. Accepts experiments that are already defined. */
export const experimentFields: v.GenericSchema<unknown, Readonly<Record<string, unknown>>> = fields({
  ...experimentEntries,
  kind: v.optional(v.literal('experiment')),
})

export const experimentRemedies: { readonly [field: string]: string } = {
  '': 'Give name, dataset and an agent.',
  name: 'Give the experiment a name.',
  dataset: 'Give a path, an open dataset or an array of items.',
}
