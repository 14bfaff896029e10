import type { JsonObject } from '@jurist/core'
import { isPlainObject } from '@jurist/core/internal'
import { nearestOrAll } from '@jurist/kit/did-you-mean'
import * as v from 'valibot'
import type { DatasetProblem } from '../dataset/problem.js'
import type { ExperimentIssue } from '../errors.js'
import { anyText, callback, checkFields, fields, texts, yesOrNo } from '../fields.js'
import type { ExperimentResult } from '../result/records.js'
import type { RunOverview } from '../result/trial-figures.js'
import type { RunSession } from '../store/sessions.js'
import type { TrialQueue } from '../store/trial-queue.js'
import type { ExperimentEvent, Reporter } from './events.js'
import type { ExperimentOptions } from './experiment.js'
import { runId, type SchemasOf, safeName } from './option-schemas.js'

/** Options of one run. */
export interface RunExperimentOptions<Variant extends string = string> {
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
   * What the run is for. Default `agent`: to measure its agent. The others say something about the dataset and the jury:
   * they are never `latest`, a baseline, or part of a trend.
   */
  readonly kind?: 'agent' | 'establish' | 'probe' | 'mutate' | 'hook'
  /** Default: a new one. */
  readonly runId?: string
  /** Runs the trials in workers, wherever they are. Default: in this process. */
  readonly distribute?: Distribution
  readonly onEvent?: Reporter
}

/** How the trials of a run are shared with workers. */
export interface Distribution {
  /** It must keep its results where the experiment does, as `postgresStore(…).queue()` does. */
  readonly queue: TrialQueue
  /** What a worker must offer, such as `gpu`. Default none. */
  readonly labels?: readonly string[]
  /** Whether workers must have the same commit of the project. Default `true`. */
  readonly requireSameCommit?: boolean
  /** Whether to end when the run is planned, and not to wait for its workers. Default `false`. */
  readonly detach?: boolean
}

/** A run under way. Iterating gives its events from the first on, for each iterator. */
export interface ExperimentRun extends AsyncIterable<ExperimentEvent>, AsyncDisposable {
  readonly runId: string
  /** The run without its items in memory. Rejects only for a store, a dataset or an option; never an unhandled rejection. */
  readonly overview: Promise<RunOverview>
  /** The run with its items, which are read from the store when this is first used. Rejects like `overview`. */
  readonly result: Promise<ExperimentResult>
  /** No further trial starts; running ones are cancelled and recorded. The run ends `interrupted`. */
  cancel(reason?: string): void
}

/** What a run would do. */
export interface Plan {
  readonly items: readonly { readonly itemId: string; readonly repetition: number; readonly prompt: string }[]
  readonly trials: number
  readonly problems: readonly DatasetProblem[]
  readonly conditions: JsonObject
  /** US dollars: the mean cost of a trial of the latest run of the same name and variant, times the trials. */
  readonly estimatedCostUsd: number | null
  /** The id of that run. */
  readonly estimateFrom: string | null
}

/** How a session is made: one run of each variant. */
export interface SessionOptions<Variant extends string = string> {
  /** Default: the instant, `YYYYMMDD-HHMMSS` (UTC). */
  readonly session?: string
  /** Which variants, in this order. Default: all, in the order of their keys. */
  readonly variants?: readonly Variant[]
  /** `item`: item by item all variants, so that drift in time hits them alike. Default `variant`. */
  readonly order?: 'variant' | 'item'
  /** What a variant that rejects does to the session. Default `continue`. */
  readonly onVariantError?: 'continue' | 'stop'
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
  readonly onEvent?: Reporter
}

/** A session under way. */
export interface SessionRun<Variant extends string = string> extends AsyncIterable<ExperimentEvent> {
  readonly session: string
  /** The runs without their items in memory, by variant. */
  readonly overview: Promise<{
    readonly session: RunSession
    readonly results: Readonly<Partial<Record<Variant, RunOverview>>>
  }>
  /** The runs with their items, which are read from the store when this is first used. */
  readonly result: Promise<{
    readonly session: RunSession
    readonly results: Readonly<Partial<Record<Variant, ExperimentResult>>>
  }>
}

const signal = v.instance(AbortSignal, 'must be an AbortSignal')
const distribution = fields({
  queue: v.custom<TrialQueue>((value) => typeof (value as TrialQueue | null)?.plan === 'function', 'must be a queue'),
  labels: v.optional(texts),
  requireSameCommit: v.optional(yesOrNo),
  detach: v.optional(yesOrNo),
} satisfies SchemasOf<Distribution>)

const going = {
  distribute: v.optional(distribution),
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
  const { variant, retryErrors, resume, widen, distribute } = options
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
    ...(widen === true && distribute !== undefined ? [notDistributed] : []),
  ]
}

/** What is wrong with the options of a session, and with its choice of variants. */
export function sessionIssues(experiment: ExperimentOptions, options: SessionOptions): readonly ExperimentIssue[] {
  if (!isPlainObject(options)) return [issue('options', 'must be an object.', 'Leave it out for the defaults.')]
  const known = variantNames(experiment)
  const { variants, retryErrors, resume, widen, distribute } = options
  const none =
    known.length === 0 ? [issue('variants', 'are missing.', 'Give the experiment variants, or use runExperiment.')] : []
  const chosen = Array.isArray(variants) ? variants.filter((name) => typeof name === 'string') : []
  const twice = chosen.filter((name, index) => chosen.indexOf(name) !== index)
  return [
    ...checkFields(sessionSchema, options, wording).issues,
    ...none,
    ...(retryErrors === true && resume !== true ? [needsResume('retryErrors', 'Set it to true.')] : []),
    ...(widen === true && resume !== true ? [needsResume('widen', 'Set it to true.')] : []),
    ...(widen === true && distribute !== undefined ? [notDistributed] : []),
    ...(known.length === 0 ? [] : chosen.flatMap((name) => unknownVariant('variants', name, known))),
    ...twice.map((name) =>
      issue('variants', `names ${JSON.stringify(name)} twice.`, 'A session runs each variant once.'),
    ),
  ]
}

const notDistributed = issue(
  'widen',
  'cannot be used with "distribute".',
  'Widen the run in one process, then distribute it.',
)

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
