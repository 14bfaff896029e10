import { type JsonObject, JuristError } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { nearestOrAll } from '@jurist/kit/did-you-mean'
import * as v from 'valibot'
import type { ExperimentIssue } from '../errors.js'
import { anyText, callback, checkFields, count, fields, milliseconds, texts, yesOrNo } from '../fields.js'
import type { TrialQueue } from '../store/trial-queue.js'
import type { Experiment, ExperimentOptions } from './experiment.js'
import { experimentRemedies, experimentSchema } from './experiment-options.js'
import { withMatrix } from './matrix.js'
import { runId, type SchemasOf, safeName } from './option-schemas.js'
import type { Distribution, RunExperimentOptions, SessionOptions } from './run-options.js'
import type { ShardOptions } from './trials.js'

const defined = new WeakSet<object>()

/**
 * Checks an experiment as far as it can be checked without the disk, and returns it frozen.
 *
 * `Input` is the type of `task.input` of its agents: by default that of the `input` of its items in the program. For rows
 * and directories, name it: `defineExperiment<{ city: string }>({ … })`. It is not checked.
 *
 * @throws `experiment-invalid` naming every issue with its remedy
 *
 * @example
 * import { completed, defineExperiment } from '@jurist/experiment'
 *
 * export default defineExperiment({
 *   name: 'sums',
 *   dataset: [{ id: 'two', task: 'What is 1 + 1?', expectedOutput: '2' }],
 *   agent: async () => completed('2'),
 *   repetitions: 3,
 * })
 */
export function defineExperiment<Input = JsonObject | undefined, const Variant extends string = never>(
  options: ExperimentOptions<Variant, Input>,
): Experiment<Variant> {
  const issues = experimentIssues(options)
  if (issues.length > 0) refuseIssues(options, issues)
  const given = Object.entries(withMatrix(options)).filter(([, value]) => value !== undefined)
  const experiment = Object.freeze({ ...Object.fromEntries(given), kind: 'experiment' }) as Experiment<Variant>
  defined.add(experiment)
  return experiment
}

/** Everything that is wrong with the options of an experiment, as far as it can be checked without the disk. */
export function experimentIssues(options: unknown): readonly ExperimentIssue[] {
  // A defined experiment was checked and frozen.
  if (typeof options === 'object' && options !== null && defined.has(options)) return []
  return checkFields(experimentSchema, options, {
    whole: 'options',
    remedies: experimentRemedies,
    remedy: 'Correct it, or leave it out.',
  }).issues
}

/** @throws `experiment-invalid` */
export function refuseIssues(options: unknown, issues: readonly ExperimentIssue[]): never {
  const name = isPlainObject(options) ? options['name'] : undefined
  const what = typeof name === 'string' ? `The experiment ${JSON.stringify(name.slice(0, 80))}` : 'The experiment'
  const count = issues.length === 1 ? 'has an issue' : `has ${issues.length} issues`
  const lines = issues.map(({ field, problem, remedy }) => `  ${field}: ${problem} ${remedy}`)
  throw new JuristError('experiment-invalid', `${what} ${count}:\n${lines.join('\n')}`, { issues })
}

const signal = v.instance(AbortSignal, 'must be an AbortSignal')
const durationsByItem = v.record(v.string(), milliseconds, 'must be an object of milliseconds by item id')
const distribution = fields({
  queue: v.custom<TrialQueue>((value) => typeof (value as TrialQueue | null)?.plan === 'function', 'must be a queue'),
  labels: v.optional(texts),
  requireSameCommit: v.optional(yesOrNo),
  durations: v.optional(durationsByItem),
  detach: v.optional(yesOrNo),
} satisfies SchemasOf<Distribution>)

const shardSchema = v.pipe(
  fields({
    index: count,
    count,
    durations: v.optional(durationsByItem),
  } satisfies SchemasOf<ShardOptions>),
  v.check((value) => Number(value['index']) <= Number(value['count']), 'must have an index from 1 to its count'),
)

const going = {
  distribute: v.optional(distribution),
  shard: v.optional(shardSchema),
  signal: v.optional(signal),
  retryErrors: v.optional(yesOrNo),
  widen: v.optional(yesOrNo),
  session: v.optional(safeName),
  onEvent: v.optional(callback),
}

/** The kinds of runs that begin here: the others come from `calibrate` and `rejudge`. */
const ownKinds = ['agent', 'establish', 'probe', 'mutate', 'hook'] as const

const runSchema = fields({
  ...going,
  variant: v.optional(anyText),
  resume: v.optional(v.union([v.literal('latest'), runId], 'must be the id of a run, or "latest"')),
  dryRun: v.optional(yesOrNo),
  kind: v.optional(v.picklist(ownKinds, `must be one of ${ownKinds.join(', ')}`)),
  runId: v.optional(runId),
} satisfies SchemasOf<RunExperimentOptions>)

const sessionSchema = fields({
  ...going,
  variants: v.optional(texts),
  order: v.optional(v.picklist(['variant', 'item'], 'must be "variant" or "item"')),
  onVariantError: v.optional(v.picklist(['continue', 'stop'], 'must be "continue" or "stop"')),
  resume: v.optional(yesOrNo),
} satisfies SchemasOf<SessionOptions>)

const wording = { whole: 'options', remedy: 'Correct it, or leave it out.' }

/** One thing that is wrong. */
function issue(field: string, problem: string, remedy: string): ExperimentIssue {
  return Object.freeze({ field, problem, remedy })
}

/** What is wrong with the options of a run, and with its choice of a variant. */
export function runIssues(experiment: ExperimentOptions, options: RunExperimentOptions): readonly ExperimentIssue[] {
  if (!isPlainObject(options)) return [issue('options', 'must be an object.', 'Leave it out for the defaults.')]
  const { variant, retryErrors, resume, widen } = options
  const known = variantNames(experiment)
  const missing =
    variant === undefined && known.length > 0
      ? [
          issue(
            'variant',
            'must be named: the experiment has variants.',
            `Name one of ${known.join(', ')}, or use runSession.`,
          ),
        ]
      : []
  return [
    ...checkFields(runSchema, options, wording).issues,
    ...(typeof variant === 'string' ? unknownVariant('variant', variant, known) : []),
    ...missing,
    ...(retryErrors === true && resume === undefined ? [needsResume('retryErrors', 'Name the run to resume.')] : []),
    ...(widen === true && resume === undefined ? [needsResume('widen', 'Name the run to resume.')] : []),
    ...partIssues(options),
  ]
}

/** What is wrong with the options of a session, and with its choice of variants. */
export function sessionIssues(experiment: ExperimentOptions, options: SessionOptions): readonly ExperimentIssue[] {
  if (!isPlainObject(options)) return [issue('options', 'must be an object.', 'Leave it out for the defaults.')]
  const known = variantNames(experiment)
  const { variants, retryErrors, resume, widen, shard } = options
  const none =
    known.length === 0 ? [issue('variants', 'are missing.', 'Give the experiment variants, or use runExperiment.')] : []
  const chosen = Array.isArray(variants) ? variants.filter((name) => typeof name === 'string') : []
  const twice = chosen.filter((name, index) => chosen.indexOf(name) !== index)
  return [
    ...checkFields(sessionSchema, options, wording).issues,
    ...none,
    ...(retryErrors === true && resume !== true ? [needsResume('retryErrors', 'Set it to true.')] : []),
    ...(widen === true && resume !== true ? [needsResume('widen', 'Set it to true.')] : []),
    ...partIssues(options),
    ...(shard !== undefined && options.session === undefined && resume !== true ? [unnamedSession] : []),
    ...(known.length === 0 ? [] : chosen.flatMap((name) => unknownVariant('variants', name, known))),
    ...twice.map((name) =>
      issue('variants', `names ${JSON.stringify(name)} twice.`, 'A session runs each variant once.'),
    ),
  ]
}

/** Options that exclude each other: a run is wide, distributed, or a shard. */
function partIssues({ widen, distribute, shard }: RunExperimentOptions | SessionOptions): readonly ExperimentIssue[] {
  return [
    ...(widen === true && distribute !== undefined
      ? [excluded('widen', 'distribute', 'Widen the run in one process, then distribute it.')]
      : []),
    ...(widen === true && shard !== undefined
      ? [excluded('widen', 'shard', 'Run all shards anew: each plans the whole.')]
      : []),
    ...(distribute !== undefined && shard !== undefined ? [excluded('shard', 'distribute', 'Use one of them.')] : []),
  ]
}

function excluded(field: string, other: string, remedy: string): ExperimentIssue {
  return issue(field, `cannot be used with "${other}".`, remedy)
}

const unnamedSession = issue('session', 'must be named with "shard".', 'Give all shards the same name.')

function needsResume(field: string, remedy: string): ExperimentIssue {
  return issue(field, 'needs "resume".', remedy)
}

/** The names of the variants, in the order of their keys. */
export function variantNames({ variants }: ExperimentOptions): readonly string[] {
  return isPlainObject(variants) ? Object.keys(variants) : []
}

function unknownVariant(field: string, name: string, known: readonly string[]): readonly ExperimentIssue[] {
  if (known.includes(name)) return []
  const remedy = known.length === 0 ? 'The experiment has no variants: leave it out.' : nearestOrAll(name, known)
  return [issue(field, `${JSON.stringify(name)} is not a variant.`, remedy)]
}
