import type { JudgmentStatus } from '@jurist/core'
import type { ExperimentResult, ItemResult, RunRecord } from './records.js'
import type { Summary } from './summary.js'

/** The status of one tier of a cascade, or of one member of any other jury, in a trial. */
export interface TrialStage {
  readonly name: string
  /** `null`: the trial did not reach it. */
  readonly status: JudgmentStatus | null
}

export const summarizedFields = [
  'itemId',
  'repetition',
  'bucket',
  'agent',
  'judged',
  'passed',
  'agentMs',
  'usage',
  'judgeUsage',
  'costUsd',
  'judgeCostUsd',
  'scores',
  'efficiency',
  'user',
] as const

/** The fields of a trial that the summary of a run is computed from. */
export interface SummarizedTrial extends Pick<ItemResult, (typeof summarizedFields)[number]> {
  readonly failure: { readonly infrastructure: boolean } | null
}

export const figureFields = ['itemSlug', 'itemHash', 'tags', 'endedAt', 'durationMs'] as const

/** A trial without its task and output, its verdict and its files: enough for tables, statistics and comparisons. */
export interface TrialFigures extends SummarizedTrial, Pick<ItemResult, (typeof figureFields)[number]> {
  /** Keyed by `judge > check`; `null`: no judge reported checks. */
  readonly checks: Readonly<Record<string, number>> | null
  readonly stages: readonly TrialStage[]
  /** The status of each judge, by its path, in the order of the jury. */
  readonly judges: Readonly<Record<string, JudgmentStatus>>
  /** Whether the trial failed because a judge broke, and no judge failed it. */
  readonly failedByError: boolean
  /** Whether a judge's command timed out. */
  readonly judgeTimedOut: boolean
  /**
   * The part of the machine that may have been missing when the trial failed, according to the output of a command;
   * `null`: unknown.
   */
  readonly environmentProblem: string | null
  /** The reason of the outcome, at most 400 characters. */
  readonly reason: string
  /** The probe or mutant of the trial, in a run whose repetitions each try something else; see `triedIn`. */
  readonly tried?: string
}

/** A trial: the whole record, or its figures. */
export type Trial = ItemResult | TrialFigures

/**
 * A run as a store reads it for tables, statistics and comparisons: the record, its summary, and the figures of its trials.
 * `readItems` reads whole trials.
 */
export interface RunOverview extends Omit<RunRecord, 'items'>, Summary {
  /** In result order. */
  readonly trials: readonly TrialFigures[]
  /**
   * Reads whole trials, in the order asked for.
   *
   * @param trials default: all
   * @throws `store-failed` when the run was removed or changed since
   */
  readItems(trials?: readonly TrialName[]): Promise<readonly ItemResult[]>
}

/** An overview of a run in files, of which few whole trials need to be in memory at a time. */
export interface FileOverview extends RunOverview {
  /**
   * Finds the trials whose whole records fit.
   *
   * @param mayFit decides by the JSON of a record whether it is worth reading
   */
  search(fits: (item: ItemResult) => boolean, mayFit: (json: string) => boolean): Promise<readonly Trial[]>
  /** Whole trials as lines of JSON, unread, about `partBytes` at a time. */
  readLines(trials: readonly TrialName[], partBytes: number): AsyncGenerator<LinePart>
}

export function isInFiles(run: RunResult): run is FileOverview {
  return 'readLines' in run
}

/** Where a line is in bytes, without its line feed. */
export interface LinePlace {
  readonly offset: number
  readonly length: number
}

/** Lines in memory. Their bytes are overwritten when the next part is read. */
export interface LinePart {
  /** A buffer; projects without the types of Node.js read this declaration, too. */
  readonly bytes: Uint8Array & { toString(encoding: 'utf8', start: number, end: number): string }
  /** The position of each line in `bytes`. */
  readonly lines: readonly LinePlace[]
}

/** Identifies a trial of a run. */
export type TrialName = Pick<ItemResult, 'itemId' | 'repetition'>

/** A run with all its trials in memory, or the overview of one. */
export type RunResult = ExperimentResult | RunOverview

/**
 * The trials of a run in result order: the whole records of a result, the figures of an overview.
 */
export function trialsOf(run: Pick<ExperimentResult, 'items'> | Pick<RunOverview, 'trials'>): readonly Trial[] {
  return 'items' in run ? run.items : run.trials
}

/**
 * Whole trials of a run. Those of an overview are read from its store.
 *
 * @param trials default: all
 * @throws `store-failed` when an overview can no longer be read
 */
export async function itemsOf(run: RunResult, trials?: readonly TrialName[]): Promise<readonly ItemResult[]> {
  return 'items' in run ? chosenItems(run.items, trials) : run.readItems(trials)
}

/**
 * Finds the trials of a run whose whole records fit. Of a run in files, few records are in memory at a time.
 *
 * @throws `store-failed` when the run was removed or changed since
 */
export async function fittingTrials(
  run: RunResult,
  fits: (item: ItemResult) => boolean,
  mayFit: (json: string) => boolean = () => true,
): Promise<readonly Trial[]> {
  if (isInFiles(run)) return run.search(fits, mayFit)
  const items = await itemsOf(run)
  return trialsOf(run).filter((_, index) => items[index] !== undefined && fits(items[index]))
}

/** The items with these names, in the order of the names. */
export function chosenItems(items: readonly ItemResult[], trials?: readonly TrialName[]): readonly ItemResult[] {
  if (trials === undefined) return items
  const byName = new Map(items.map((item) => [trialKey(item), item]))
  return trials.flatMap((trial) => byName.get(trialKey(trial)) ?? [])
}

/** A trial as people read it, and as `jurist show` takes it. */
export function trialText({ itemId, repetition }: TrialName): string {
  return `${itemId}#${repetition}`
}

export function trialKey({ itemId, repetition }: TrialName): string {
  return `${repetition} ${itemId}`
}

/**
 * A run with all its trials in memory.
 *
 * @throws `store-failed` when an overview can no longer be read
 */
export async function resultWithItems(run: RunResult): Promise<ExperimentResult> {
  if ('items' in run) return run
  const items = await run.readItems()
  const { trials, readItems, search, readLines, ...rest } = Object.getOwnPropertyDescriptors(run as FileOverview)
  return Object.defineProperties({}, { ...rest, items: { value: items, enumerable: true } }) as ExperimentResult
}

type Timed = Pick<ItemResult, 'durationMs'>

/** The duration of a trial in milliseconds; `null` if it is unknown, as of a recording without a time. */
export function takenMs({ durationMs }: Timed): number | null {
  return durationMs === 0 ? null : durationMs
}

/** How long trials took one after the other; `null` where that of none is known. */
export function takenTogether(trials: readonly Timed[]): number | null {
  return trials.reduce((sum, { durationMs }) => sum + durationMs, 0) || null
}
