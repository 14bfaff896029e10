import {
  type AskThrough,
  type ContextInput,
  infoOf,
  type Judge,
  type Judgment,
  type JudgmentContext,
  type Jury,
  named,
} from '@jurist/core'
import {
  abortSignal,
  checkOptions,
  described,
  finite,
  isPlainObject,
  type OptionDescription,
  type OptionDescriptions,
  type OptionRule,
  objectOf,
  openRate,
  option,
  optionInvalid,
} from '@jurist/core/internal'
import type { Dataset, DatasetPath } from '../dataset/dataset.js'
import type { DatasetItem } from '../dataset/item.js'
import { outputOfItem } from '../dataset/item-fields.js'
import type { Reporter } from '../run/events.js'
import { checkSafeName } from '../store/names.js'
import type { ResultStore } from '../store/store.js'
import type { JudgeScorer } from './scorer.js'
import { exactVerdictMatch } from './scorers.js'

/** How the alternative annotator test is made (Calderon, Reichart and Dror 2025). */
export interface AltTestOptions {
  /**
   * The value of a person's time: the margin by which the judge may win less often than the annotator whose place it
   * takes. The paper recommends 0.2 for experts, 0.15 for skilled annotators and 0.1 for crowd workers. Default 0.2.
   */
  readonly epsilon?: number
  /** The false discovery rate over the annotators. Default 0.05. */
  readonly q?: number
  /** Annotators with fewer items are left out. Default 30. */
  readonly minimumItems?: number
}

export type AltTestSettings = Required<AltTestOptions>

const altTestRules: OptionDescriptions<AltTestOptions> = {
  epsilon: described(
    finite,
    'By how much the judge may win less often than a person: 0.2 for experts, 0.1 for crowd workers.',
    0.2,
  ),
  q: described(openRate, 'The false discovery rate over the annotators.', 0.05),
  minimumItems: described(option.integer(1), 'Annotators with fewer items are left out.', 30),
}

const altTestRule: OptionRule = objectOf(
  '{ epsilon, q, minimumItems }: a number, a number between 0 and 1, and a whole number of at least 1',
  altTestRules,
  ['epsilon', 'q', 'minimumItems'],
)

/** Fills in the defaults of checked options. */
export function altTestSettings({ epsilon = 0.2, q = 0.05, minimumItems = 30 }: AltTestOptions = {}): AltTestSettings {
  return { epsilon, q, minimumItems }
}

/** How a judge is calibrated. */
export interface CalibrateOptions {
  /** Names the run, as an experiment's. */
  readonly name: string
  /** The judge or jury under test. */
  readonly candidate: Judge | Jury
  /** Default: the name that the candidate has. */
  readonly candidateName?: string
  /** Labelled items: a path (Node only), the same with the names of columns, a dataset, or an array. Of a dataset, the active ones. */
  readonly items: DatasetPath | Dataset | readonly DatasetItem[]
  /** The context that the candidate sees. Default: the item's task, its `metadata.output`, its expected output and references. */
  readonly input?: (item: DatasetItem, signal: AbortSignal) => ContextInput | Promise<ContextInput>
  /** The label. Default: `metadata.label`, else `metadata.expectedVerdict`. */
  readonly expected?: (item: DatasetItem) => string | null
  /** Default `exactVerdictMatch()`. */
  readonly scorer?: JudgeScorer
  /** A store or its directory (Node only). Default: in memory. */
  readonly store?: ResultStore | string
  /** The version of the items. Default: that of the dataset; `1.0.0` for an array of items. */
  readonly datasetVersion?: string
  /** How often each item is judged. Default 1. */
  readonly repetitions?: number
  /** The same context with two places exchanged: the candidate is shown it too, once an item. */
  readonly swap?: (context: JudgmentContext) => JudgmentContext
  /** Maps the judgment of a swapped context back. Default: unchanged. */
  readonly unswap?: (judgment: Judgment) => Judgment
  /**
   * The annotations of several people, by name: for the alternative annotator test, which needs no label. Default:
   * `metadata.annotators` of items that have it.
   */
  readonly annotators?: (item: DatasetItem) => Readonly<Record<string, string | number>>
  /** How that test is made. Default `{ epsilon: 0.2, q: 0.05, minimumItems: 30 }`. */
  readonly altTest?: AltTestOptions
  /** Labels in their order, the lowest first. */
  readonly ordinal?: readonly string[]
  /** Items that depend on each other, such as those of one document: intervals then rest on these groups. */
  readonly cluster?: (item: DatasetItem) => string
  /** Judgments that run concurrently. Default 4. */
  readonly concurrency?: number
  /** Milliseconds for one judgment. Default 600,000. */
  readonly judgeTimeoutMs?: number
  /** The level of intervals. Default 0.95. */
  readonly level?: number
  /** Resamples of the bootstrap. Default 10,000; 0: no bootstrap. */
  readonly resamples?: number
  /** Seed of the bootstrap. Default 1. */
  readonly seed?: number
  /** Replaces the models that judges ask, for example by the same behind a cache. Default: they ask their own. */
  readonly askThrough?: AskThrough
  readonly signal?: AbortSignal
  readonly onEvent?: Reporter
}

/** How the numbers of a report are reached. */
export type ReportOptions = Pick<CalibrateOptions, 'altTest' | 'ordinal' | 'level' | 'resamples' | 'seed'>

export type CalibrateSettings = Required<Omit<CalibrateOptions, Undecided>> & Pick<CalibrateOptions, Undecided>

type Undecided =
  | keyof ReportOptions
  | 'items'
  | 'store'
  | 'datasetVersion'
  | 'swap'
  | 'cluster'
  | 'askThrough'
  | 'signal'
  | 'onEvent'

const labels: OptionRule = {
  wants: 'an array of at least two different labels',
  holds: (value) =>
    option.strings.holds(value) &&
    (value as string[]).length > 1 &&
    new Set(value as string[]).size === (value as string[]).length,
  schema: { type: 'array', items: { type: 'string' }, minItems: 2, uniqueItems: true },
}
const items: OptionRule = {
  wants: 'a path, a dataset or an array of items',
  holds: (value) => typeof value === 'string' || (typeof value === 'object' && value !== null),
}
const store: OptionRule = {
  wants: 'a store or its directory',
  holds: (value) => typeof value === 'string' || typeof (value as Partial<ResultStore> | null)?.open === 'function',
}

const anySeed: OptionRule = { ...option.integer(Number.MIN_SAFE_INTEGER), schema: { type: 'integer' } }

/** The rules of the options that only the numbers of a report depend on. */
export const reportRules: OptionDescriptions<ReportOptions> = {
  altTest: described(altTestRule, 'Settings of the alternative annotator test.'),
  ordinal: described(labels, 'Labels in their order, the lowest first.'),
  level: described(openRate, 'The level of intervals.', 0.95),
  resamples: described(option.integer(0), 'Resamples of the bootstrap; 0: no bootstrap.', 10_000),
  seed: described(anySeed, 'The seed of the bootstrap.', 1),
}

/** The rules of all options of `calibrate`. Those that a config can write have a description. */
export const calibrateRules: { readonly [name in keyof Required<CalibrateOptions>]: OptionRule | OptionDescription } = {
  name: option.string,
  candidate: described(option.function, 'The judge or the jury to measure.'),
  candidateName: described(option.string, 'The name of the candidate. Default: the name of the judge.'),
  items: described(items, 'The path of labelled items: a dataset, or a file of rows.'),
  input: option.function,
  expected: option.function,
  scorer: described(option.function, 'How a judgment is compared with the label. Default: exact-verdict-match.'),
  store,
  datasetVersion: described(option.string, 'The version of the items. Default: the version that the dataset has.'),
  repetitions: described(option.integer(1), 'How often each item is judged.', 1),
  swap: option.function,
  unswap: option.function,
  annotators: option.function,
  cluster: option.function,
  concurrency: described(option.integer(1), 'Judgments that run concurrently.', 4),
  judgeTimeoutMs: described(option.positive, 'Milliseconds for one judgment.', 600_000),
  ...reportRules,
  askThrough: option.function,
  signal: abortSignal,
  onEvent: option.function,
}

/**
 * Checks the options of `calibrate`.
 *
 * @throws `option-invalid` naming everything that is wrong, `name-invalid`
 */
export function calibrateSettings(options: CalibrateOptions): CalibrateSettings {
  const given = checkOptions<CalibrateOptions>('calibrate', options, calibrateRules)
  const missing = (['name', 'candidate', 'items'] as const).filter((name) => given[name] === undefined)
  const [first] = missing
  if (first !== undefined) optionInvalid(first, `calibrate: give ${missing.map((name) => `"${name}"`).join(', ')}.`)
  checkSafeName(given.name, 'a calibration')
  const candidateName = given.candidateName ?? infoOf(given.candidate).name
  // Refuses an unknown judge now, and not at the first trial.
  named(given.candidate, candidateName)
  return {
    input: outputOf,
    expected: labelOf,
    scorer: exactVerdictMatch(),
    annotators: annotatorsOf,
    repetitions: 1,
    unswap: (judgment) => judgment,
    concurrency: 4,
    judgeTimeoutMs: 600_000,
    ...given,
    candidateName,
  }
}

/** The context of an item by default: an output that was made before. */
function outputOf(item: DatasetItem): ContextInput {
  const { task, metadata, expectedOutput, expectedAnyOf, referenceData } = item
  const output = outputOfItem(item)
  return {
    goal: task,
    agentOutput: output,
    ...(expectedOutput === null ? {} : { expectedOutput }),
    ...(expectedAnyOf ? { expectedAnyOf: true as const } : {}),
    ...(referenceData.length === 0 ? {} : { referenceData }),
    metadata,
  }
}

/** The default `label`: reads the label from the item's metadata. */
function labelOf({ metadata }: DatasetItem): string | null {
  return textOf(metadata, 'label') ?? textOf(metadata, 'expectedVerdict')
}

/** The annotations of an item by default: strings and numbers by the name of the annotator. */
function annotatorsOf({ metadata }: DatasetItem): Readonly<Record<string, string | number>> {
  const given = Object.hasOwn(metadata, 'annotators') ? metadata['annotators'] : undefined
  if (!isPlainObject(given)) return {}
  return Object.fromEntries(
    Object.entries(given).filter(
      (entry): entry is [string, string | number] => typeof entry[1] === 'string' || typeof entry[1] === 'number',
    ),
  )
}

function textOf(metadata: DatasetItem['metadata'], key: string): string | null {
  const value = Object.hasOwn(metadata, key) ? (metadata[key] ?? null) : null
  if (value === null || typeof value === 'string') return value
  return JSON.stringify(value)
}

/** Options to stop and to observe a calibration. */
type Watched = Pick<CalibrateOptions, 'signal' | 'onEvent'>

/**
 * The options of one or more calibrations that stop when their total cost reaches the budget: running judgments are
 * cancelled, and the calibrations are `interrupted`.
 *
 * @param budgetUsd in US dollars; `undefined`: no limit
 */
export function withinBudget({ budgetUsd, signal, onEvent }: Watched & { readonly budgetUsd?: number }): Watched {
  if (budgetUsd === undefined) return { signal, onEvent }
  const stop = new AbortController()
  let spentUsd = 0
  const watch: Watched['onEvent'] = (event) => {
    if (event.type === 'item-end') {
      spentUsd += event.result.judgeCostUsd ?? 0
      if (spentUsd >= budgetUsd)
        stop.abort(new Error(`The judges have cost ${spentUsd} USD, and the budget is ${budgetUsd} USD.`))
    }
    return onEvent?.(event)
  }
  return { signal: signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]), onEvent: watch }
}
