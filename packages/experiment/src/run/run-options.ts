import { isPlainObject } from '@jurist/core/internal'
import { nearestOrAll } from '@jurist/kit/did-you-mean'
import * as v from 'valibot'
import type { ExperimentIssue } from '../errors.js'
import type { SchemasOf } from '../fields.js'
import { anyText, callback, checkFields, count, fields, milliseconds, texts, yesOrNo } from '../fields.js'
import type { TrialQueue } from '../store/trial-queue.js'
import type { Reporter } from './events.js'
import type { ExperimentOptions } from './experiment.js'
import { runId, safeName } from './experiment-options.js'
import type { ShardOptions } from './trials.js'

/** When a run stops before all its items have run. */
export interface UntilOptions {
  /**
   * `decided`: no further trial starts as soon as it is decided whether the run differs from its baseline, the variants of a session
   * differ from theirs (the variant that the experiment names, else the first), or all items would meet `threshold`. Errors keep
   * their level although each item is looked at. A resumed run keeps its plan. Default: every item runs.
   */
  readonly until?: 'decided'
  /** With `until` and a baseline: how much worse still counts as not worse, such as 0.05. Default: no margin. */
  readonly margin?: number
  /** With `until` and without a baseline: the share of all items that must pass, in (0, 1]. */
  readonly threshold?: number
  /** The seed of the order in which items start with `until`. Default 1. */
  readonly seed?: number
  /** Whether trials that run when the run is decided end, or are cancelled. Default `finish`. */
  readonly onStop?: 'finish' | 'cancel'
}

/** Options of one run. */
export interface RunExperimentOptions<Variant extends string = string> extends UntilOptions {
  /** Required when the experiment has variants. */
  readonly variant?: Variant
  /** Cancels the run when it fires. */
  readonly signal?: AbortSignal
  /**
   * A run id; or `latest`: the newest unfinished run of the same name and variant, otherwise a new one. It keeps the items
   * and repetitions that it began with, whatever the options select now.
   */
  readonly resume?: string | 'latest'
  /** With `resume`: trials that decided nothing run again. Default `false`. */
  readonly retryErrors?: boolean
  /** With `resume`: further items and repetitions that the options ask for now are added to the run. Default `false`. */
  readonly widen?: boolean
  /** Run no trial and store nothing. Default `false`. */
  readonly dryRun?: boolean
  /** The session that the run belongs to. */
  readonly session?: string
  /**
   * The purpose of the run. Default `agent`: it measures its agent. Runs of other kinds examine the dataset or the jury: they are
   * never `latest`, a baseline, or part of a trend.
   */
  readonly kind?: 'agent' | 'establish' | 'probe' | 'mutate' | 'hook' | 'lift'
  /** Default: a new one. */
  readonly runId?: string
  /** Runs the trials in workers, wherever they are. Default: in this process. */
  readonly distribute?: Distribution
  /** Runs a part of the trials; `mergeRuns` makes one run of all parts. A shard that is resumed stays what it is. Default: all. */
  readonly shard?: ShardOptions
  readonly onEvent?: Reporter
}

/** How the trials of a run are shared with workers. */
export interface Distribution {
  /** It must keep its results where the experiment does, as `postgresStore(…).queue()` does. */
  readonly queue: TrialQueue
  /** Labels that a worker must have, such as `gpu`. Default none. */
  readonly labels?: readonly string[]
  /** Whether workers must have the same commit of the project. Default `true`. */
  readonly requireSameCommit?: boolean
  /**
   * Milliseconds that a trial of an item takes, by item id: the longest start first, so that no worker is left with one at the
   * end. Items that are not named take the median. Default: as earlier runs of the experiment in the same store have measured;
   * without such a run the items with the longest timeouts first, and those without timeouts in the order of the dataset.
   */
  readonly durations?: Readonly<Record<string, number>>
  /** Whether to end when the run is planned, and not to wait for its workers. Default `false`. */
  readonly detach?: boolean
}

/** How a session is made: one run of each variant. */
export interface SessionOptions<Variant extends string = string> extends UntilOptions {
  /** Default: the instant, `YYYYMMDD-HHMMSS` (UTC). */
  readonly session?: string
  /** Which variants, in this order. Default: all, in the order of their keys. */
  readonly variants?: readonly Variant[]
  /** `item`: item by item all variants, so that drift in time affects all of them equally. Default `variant`. */
  readonly order?: 'variant' | 'item'
  /** Whether the session continues after a variant rejects. Default `continue`. */
  readonly onVariantError?: 'continue' | 'stop'
  /** The purpose of its runs, as for one run. Default `agent`. */
  readonly kind?: RunExperimentOptions['kind']
  readonly signal?: AbortSignal
  /**
   * Resumes the session: finished variants are kept, unfinished ones resumed, and the others run with the items and
   * repetitions that the session began with. Default `false`.
   */
  readonly resume?: boolean
  /** With `resume`: trials that decided nothing run again, also those of finished variants. Default `false`. */
  readonly retryErrors?: boolean
  /** With `resume`: further variants, items and repetitions that are asked for now are added. Default `false`. */
  readonly widen?: boolean
  /** Runs the trials in workers, those of all variants at the same time. Default: in this process. */
  readonly distribute?: Distribution
  /** Runs a part of the trials of each variant. It needs `session`, the same for all shards. Default: all. */
  readonly shard?: ShardOptions
  readonly onEvent?: Reporter
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

/** The kinds of runs that begin here: the others come from `calibrate` and `rejudge`. */
const ownKinds = ['agent', 'establish', 'probe', 'mutate', 'hook', 'lift'] as const

const going = {
  until: v.optional(v.literal('decided', 'must be "decided"')),
  margin: v.optional(v.custom<number>((value) => Number(value) > 0 && Number(value) < 1, 'must lie between 0 and 1')),
  threshold: v.optional(v.custom<number>((value) => Number(value) > 0 && Number(value) <= 1, 'must lie in (0, 1]')),
  seed: v.optional(v.pipe(v.number('must be a whole number'), v.integer('must be a whole number'))),
  onStop: v.optional(v.picklist(['finish', 'cancel'], 'must be "finish" or "cancel"')),
  distribute: v.optional(distribution),
  shard: v.optional(shardSchema),
  signal: v.optional(signal),
  retryErrors: v.optional(yesOrNo),
  widen: v.optional(yesOrNo),
  session: v.optional(safeName),
  kind: v.optional(v.picklist(ownKinds, `must be one of ${ownKinds.join(', ')}`)),
  onEvent: v.optional(callback),
}

const runSchema = fields({
  ...going,
  variant: v.optional(anyText),
  resume: v.optional(v.union([v.literal('latest'), runId], 'must be the id of a run, or "latest"')),
  dryRun: v.optional(yesOrNo),
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

function issue(field: string, problem: string, remedy: string): ExperimentIssue {
  return Object.freeze({ field, problem, remedy })
}

/** Checks the options of a run, including its variant. */
export function runIssues(experiment: ExperimentOptions, options: RunExperimentOptions): readonly ExperimentIssue[] {
  if (!isPlainObject(options)) return [issue('options', 'must be an object.', 'Leave it out for the defaults.')]
  const { variant, resume } = options
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
    ...(resume === undefined ? needResume(options, 'Name the run to resume.') : []),
    ...partIssues(options),
  ]
}

/** Checks the options of a session, including its variants. */
export function sessionIssues(experiment: ExperimentOptions, options: SessionOptions): readonly ExperimentIssue[] {
  if (!isPlainObject(options)) return [issue('options', 'must be an object.', 'Leave it out for the defaults.')]
  const known = variantNames(experiment)
  const { variants, resume, shard } = options
  const none =
    known.length === 0 ? [issue('variants', 'are missing.', 'Give the experiment variants, or use runExperiment.')] : []
  const chosen = Array.isArray(variants) ? variants.filter((name) => typeof name === 'string') : []
  const twice = chosen.filter((name, index) => chosen.indexOf(name) !== index)
  return [
    ...checkFields(sessionSchema, options, wording).issues,
    ...none,
    ...(resume === true ? [] : needResume(options, 'Set it to true.')),
    ...partIssues(options),
    ...(shard !== undefined && options.session === undefined && resume !== true
      ? [issue('session', 'must be named with "shard".', 'Give all shards the same name.')]
      : []),
    ...(known.length === 0 ? [] : chosen.flatMap((name) => unknownVariant('variants', name, known))),
    ...twice.map((name) =>
      issue('variants', `names ${JSON.stringify(name)} twice.`, 'A session runs each variant once.'),
    ),
  ]
}

/** Options that exclude each other: a run is wide, distributed, or a shard. */
function partIssues(options: RunExperimentOptions | SessionOptions): readonly ExperimentIssue[] {
  const { widen, distribute, shard, until, margin, threshold, onStop } = options
  return [
    ...(until !== undefined && shard !== undefined
      ? [
          excluded(
            'until',
            'shard',
            "A shard does not know the others' outcomes. Use workers on one database, or run all shards and merge.",
          ),
        ]
      : []),
    ...(onStop === 'cancel' && distribute !== undefined
      ? [excluded('onStop', 'distribute', 'Workers end the trials that they hold.')]
      : []),
    ...(until !== undefined && widen === true ? [excluded('until', 'widen', 'A plan cannot change.')] : []),
    ...(margin !== undefined && threshold !== undefined
      ? [excluded('margin', 'threshold', 'A margin is for a comparison.')]
      : []),
    ...(['margin', 'threshold', 'seed', 'onStop'] as const)
      .filter((name) => until === undefined && options[name] !== undefined)
      .map((name) => issue(name, 'needs "until".', 'Add until: "decided".')),
    ...(widen === true && distribute !== undefined
      ? [excluded('widen', 'distribute', 'Widen the run in one process, then distribute it.')]
      : []),
    ...(widen === true && shard !== undefined
      ? [excluded('widen', 'shard', 'Run all shards again from the start: each plans the whole run.')]
      : []),
    ...(distribute !== undefined && shard !== undefined ? [excluded('shard', 'distribute', 'Use one of them.')] : []),
  ]
}

function excluded(field: string, other: string, remedy: string): ExperimentIssue {
  return issue(field, `cannot be used with "${other}".`, remedy)
}

function needResume(options: RunExperimentOptions | SessionOptions, remedy: string): readonly ExperimentIssue[] {
  const needing = (['retryErrors', 'widen'] as const).filter((name) => options[name] === true)
  return needing.map((name) => issue(name, 'needs "resume".', remedy))
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
