import { canonicalJson, sha256 } from '../dataset/hash.js'
import type { DatasetItem } from '../dataset/item.js'
import { counted } from '../result/amounts.js'
import type { RunShard } from '../result/records.js'
import { quantile } from '../result/statistics/descriptive.js'
import { type TrialName, trialKey } from '../result/trial-figures.js'
import { plannedRepetitions, plannedTrials } from '../store/run-head.js'
import type { RunManifest } from '../store/store.js'
import type { TrialPlace } from './events.js'
import { renderPrompt } from './prompt.js'
import { defaults, type Settings } from './settings.js'

/** One repetition of one item. */
export interface Trial extends TrialPlace {
  /** Its place in the order of results, from 0. */
  readonly index: number
  readonly item: DatasetItem
  /** The prompt for the agent. */
  readonly prompt: string
}

const misfit = /[^A-Za-z0-9._-]/g

/**
 * The name of a trial's files: `<item id>--<repetition>`, the id with `_` for characters that some file systems refuse,
 * and then a part of its hash, so that two ids never share a name.
 */
export function trialName({ itemId, repetition }: TrialPlace): string {
  const plain = itemId.replace(misfit, '_')
  return `${plain === itemId ? itemId : `${plain}-${sha256(itemId).slice(0, 8)}`}--${repetition}`
}

/** Counts the trials of a run, including those of items with their own number of repetitions. */
export function countTrials(items: readonly DatasetItem[], { repetitions }: Pick<Settings, 'repetitions'>): number {
  let count = 0
  for (const item of items) count += item.repetitions ?? repetitions
  return count
}

/** The trials of a run in result order: by item, then by repetition. */
export function* trialsOf(
  items: readonly DatasetItem[],
  { prompt: template, repetitions }: Pick<Settings, 'prompt' | 'repetitions'>,
): Generator<Trial, void> {
  let index = 0
  for (const item of items) {
    const prompt = template === defaults.prompt ? item.task : renderPrompt(template, item)
    for (let repetition = 1; repetition <= (item.repetitions ?? repetitions); repetition++)
      yield { itemId: item.id, repetition, index: index++, item, prompt }
  }
}

/** Which trials a run or a session was begun with. */
export interface TrialPlan {
  /** Ids of the items, in the order of the dataset. */
  readonly items: readonly string[]
  readonly repetitions: number
}

/** The trials that a stored run was begun with; `null` for a record that does not name its items. */
export function storedPlan(manifest: RunManifest): TrialPlan | null {
  const { itemOrder } = manifest
  if (itemOrder === undefined || itemOrder.length === 0) return null
  const repetitions = plannedRepetitions(manifest)
  return Number.isSafeInteger(repetitions) && repetitions > 0 ? { items: itemOrder, repetitions } : null
}

/** The settings that select exactly the trials of a plan. */
export function settingsOfPlan(settings: Settings, { items, repetitions }: TrialPlan): Settings {
  // Without a status, an item that was disabled since would be missing.
  return { ...settings, filter: { id: items, status: 'any' }, repetitions }
}

/** A notice that the options select other trials than the stored plan; `null` if they do not. */
export function otherPlanNotice(
  { filter, repetitions }: Settings,
  { configuration, planned }: RunManifest,
  plan: TrialPlan,
): string | null {
  const isSame =
    canonicalJson(JSON.parse(JSON.stringify(filter ?? null))) === canonicalJson(configuration['filter'] ?? null) &&
    repetitions === plan.repetitions
  if (isSame) return null
  const { items } = plan
  const often = plan.repetitions === 1 ? 'once' : `${plan.repetitions} times`
  const others = planned === items.length * plan.repetitions ? 'each' : 'each unless the item says otherwise'
  return (
    `The run continues with its stored plan: ${counted(planned, 'trial')} (${counted(items.length, 'item')}, ` +
    `${often} ${others}). Other items and repetitions that ` +
    'the options select now are ignored. To add them to the run, use --widen, or "widen" in code.'
  )
}

/** Which part of the trials of an experiment a run performs. The shards of one plan are disjoint and complete. */
export interface ShardOptions {
  /** From 1 to `count`. */
  readonly index: number
  /** How many shards there are. */
  readonly count: number
  /**
   * Milliseconds that a trial of an item takes, by item id: every shard gets about the same time. Items that are not named take
   * the median. All shards need the same durations. Default: every shard gets about the same number of trials.
   */
  readonly durations?: Readonly<Record<string, number>>
}

/** A shard, and the trials that belong to it. */
export interface Shard {
  readonly record: RunShard
  /** `trialKey` of each trial. */
  readonly keys: ReadonlySet<string>
}

/** A shard of the plan of a run. */
export function shardOf(plan: RunManifest, options: ShardOptions): Shard {
  const { index, count, durations } = options
  const keys = shardKeys(plannedTrials(plan), options)
  const by = durations === undefined ? 'order' : 'seconds'
  const digest = durations === undefined ? null : sha256(canonicalJson(durations))
  return { record: { index, count, by, trials: keys.size, durations: digest }, keys }
}

/**
 * The `trialKey` of those of all trials of a plan that belong to a shard. They depend on the ids of the items, and not on
 * the order of the dataset.
 */
export function shardKeys(
  trials: readonly TrialName[],
  { index, count, durations }: ShardOptions,
): ReadonlySet<string> {
  const shards = shardOfEach(trials, count, durations)
  return new Set(trials.filter((_, place) => shards[place] === index).map(trialKey))
}

/**
 * The index of the shard of each trial of a plan. Trials are distributed in an order that is random but always the same, so that
 * neighbours in the dataset, which are often similar, are spread. With durations the longest trials are dealt first, each to the
 * shard with the least to do (Graham's LPT rule, "Bounds on Multiprocessing Timing Anomalies", 1969).
 */
export function shardOfEach(
  trials: readonly TrialName[],
  count: number,
  durations?: ShardOptions['durations'],
): Uint32Array {
  const shards = new Uint32Array(trials.length)
  const shuffled = shuffledPlaces(trials)
  if (durations === undefined) {
    for (const [turn, place] of shuffled.entries()) shards[place] = (turn % count) + 1
    return shards
  }
  const load = new Float64Array(count)
  const inOrder = [...shuffled].flatMap((place) => {
    const trial = trials[place]
    return trial === undefined ? [] : [{ ...trial, place }]
  })
  for (const { trial, ms } of longestFirst(inOrder, durations)) {
    const least = load.reduce((best, ms, shard) => (ms < (load[best] ?? 0) ? shard : best), 0)
    load[least] = (load[least] ?? 0) + ms
    shards[trial.place] = least + 1
  }
  return shards
}

/** As many digits of a hash as a number has room for. */
const comparedDigits = 13

/** The places of trials in the order of the hashes of their names. Numbers are compared in a third of the time of strings. */
function shuffledPlaces(trials: readonly TrialName[]): Uint32Array {
  const hashes = trials.map(({ itemId, repetition }) => sha256(`${itemId}#${repetition}`))
  const keys = Float64Array.from(hashes, (hash) => Number.parseInt(hash.slice(0, comparedDigits), 16))
  const inFull = (a: number, b: number) => ((hashes[a] ?? '') < (hashes[b] ?? '') ? -1 : 1)
  return Uint32Array.from(hashes.keys()).sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || inFull(a, b))
}

/** Trials with the time that each is expected to take, the longest first; equal ones in their order. */
export function longestFirst<Trial extends TrialName>(
  trials: readonly Trial[],
  durations: NonNullable<ShardOptions['durations']>,
): readonly { readonly trial: Trial; readonly ms: number }[] {
  const usual = middle(Object.values(durations))
  return trials.map((trial) => ({ trial, ms: ofItem(durations, trial.itemId) ?? usual })).sort((a, b) => b.ms - a.ms)
}

function ofItem(durations: Readonly<Record<string, number>>, itemId: string): number | undefined {
  return Object.hasOwn(durations, itemId) ? durations[itemId] : undefined
}

/** The median; 1 if there are no durations. */
function middle(durations: readonly number[]): number {
  return durations.length === 0
    ? 1
    : quantile(
        [...durations].sort((a, b) => a - b),
        0.5,
      )
}

/** Shard index and count, for messages. */
export function shardText(shard: RunShard | undefined): string {
  if (shard === undefined) return 'the whole'
  const { index, count, durations } = shard
  return `shard ${index}/${count}${durations === null ? '' : ` by the durations ${durations.slice(0, 8)}`}`
}
