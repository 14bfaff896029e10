import { type Json, JuristError } from '@jurist/core'
import { canonicalJson, sha256 } from '../dataset/hash.js'
import type { DatasetItem } from '../dataset/item.js'
import type { ConditionDifference } from '../errors.js'
import type { ItemResult, SequentialPlan } from '../result/records.js'
import { trialKey } from '../result/trial-figures.js'
import { plannedRepetitions } from '../store/run-head.js'
import type { ResultStore, RunEntry, RunManifest, RunWriter } from '../store/store.js'
import type { RunExperimentOptions } from './run-options.js'
import { type ShardOptions, shardText } from './trials.js'

export type OpenedRun = Awaited<ReturnType<ResultStore['resume']>>

export interface Resumed {
  readonly manifest: RunManifest
  readonly writer: RunWriter
  readonly taken: readonly ItemResult[]
  readonly takenKeys: ReadonlySet<string>
}

interface WantedRun {
  readonly manifest: RunManifest & { readonly itemOrder: readonly string[] }
  readonly items: readonly DatasetItem[]
}

/**
 * The newest run of a name, variant and kind that has not ended with all its trials; `undefined` if none exists. A run that
 * another process is writing counts: resuming it is refused, and no other run is chosen instead. With `retryErrors` a finished
 * run counts if some of its trials decided nothing; without `shard` it may perform any part of the trials.
 */
export async function newestUnfinished(
  store: ResultStore,
  { name, variant }: { readonly name: string; readonly variant: string | null },
  { retryErrors = false, kind = 'agent', shard }: Pick<RunExperimentOptions, 'retryErrors' | 'kind' | 'shard'>,
): Promise<string | undefined> {
  let isNewest = true
  for await (const entry of store.list({ experimentName: name, kind })) {
    if (entry.variant !== variant || !isOfShard(entry, shard)) continue
    const { status, counts } = entry
    const isUnfinished = status !== 'completed' || counts.notRun > 0
    if (isUnfinished || (isNewest && retryErrors && counts.undecided > 0)) return entry.id
    isNewest = false
  }
  return undefined
}

function isOfShard({ shard }: RunEntry, wanted: ShardOptions | undefined): boolean {
  return wanted === undefined || (shard?.index === wanted.index && shard.count === wanted.count)
}

/**
 * Resumes an opened run. Stored trials are kept, except those that were cancelled and, with `retryErrors`, those that
 * decided nothing. The caller releases the writer if this throws.
 *
 * @throws `run-mismatch` listing every difference from the stored run
 */
export async function resumeRun(
  { manifest, items, writer }: OpenedRun,
  { manifest: wanted, items: selected }: WantedRun,
  { retryErrors = false, widen = false }: Pick<RunExperimentOptions, 'retryErrors' | 'widen'>,
): Promise<Resumed> {
  if (widen && (manifest.shard !== undefined || manifest.sequential !== undefined)) refuseToWiden(manifest)
  const taken = items.filter(({ agent, passed }) => agent !== 'cancelled' && !(retryErrors && passed === null))
  const takenKeys = new Set(taken.map(trialKey))
  const hashes = new Map(selected.map(({ id, hash }) => [id, hash]))
  // Items that have run are recorded as they were: only the others must be unchanged.
  for (const { itemId, itemHash } of taken) hashes.set(itemId, itemHash)
  refuseDifferences(manifest.id, manifestDifferences(manifest, wanted, { hashes, takenKeys, widen }))
  if (widen) await extend(writer, manifest, wanted)
  return { manifest, writer, taken, takenKeys }
}

function refuseToWiden({ id, shard }: RunManifest): never {
  const why =
    shard === undefined
      ? 'stops when it is decided and cannot be widened: its plan cannot change.'
      : `is ${shardText(shard)} and cannot be widened: each shard plans the whole.`
  const problem = `Run ${id} ${why}`
  throw new JuristError('run-mismatch', `${problem} Run it again from the start.`, { id, differences: [] })
}

/** The items of a run, as they are now. */
export interface KnownItems {
  /** Hashes by item id. */
  readonly hashes: ReadonlyMap<string, string>
  /** Keys of the trials that are not run again. */
  readonly takenKeys: ReadonlySet<string>
  readonly widen: boolean
}

/** How a run that would start now differs from a stored one. */
export function manifestDifferences(
  stored: RunManifest,
  wanted: RunManifest,
  known: KnownItems,
): readonly ConditionDifference[] {
  const { dataset: _stored, ...storedConditions } = stored.conditions
  const { dataset: _wanted, ...wantedConditions } = wanted.conditions
  const names = new Set([...Object.keys(storedConditions), ...Object.keys(wantedConditions)])
  const repetitions = [plannedRepetitions(stored), plannedRepetitions(wanted)] as const
  return [
    ...difference('name', stored.experimentName, wanted.experimentName),
    ...difference('kind', stored.kind, wanted.kind),
    ...difference('variant', stored.variant, wanted.variant),
    ...difference('shard', shardText(stored.shard), shardText(wanted.shard)),
    ...[...names].flatMap((name) => difference(name, storedConditions[name], wantedConditions[name])),
    ...datasetDifference(stored, wanted, known),
    ...(repetitions[1] < repetitions[0] ? difference('repetitions', ...repetitions) : []),
    ...planDifferences(stored.sequential, wanted.sequential),
  ]
}

/** A plan to stop when it is decided cannot change: what it has looked at would no longer count. */
function planDifferences(stored: SequentialPlan | undefined, wanted: SequentialPlan | undefined) {
  const names = ['rule', 'seed', 'alpha', 'margin', 'threshold', 'repetitions'] as const
  if (stored === undefined || wanted === undefined) return difference('until', stored && 'decided', wanted && 'decided')
  return names.flatMap((name) => difference(`until decided: ${name}`, stored[name], wanted[name]))
}

function difference(condition: string, baseline: Json | undefined, candidate: Json | undefined): ConditionDifference[] {
  const reason = baseline === undefined || candidate === undefined ? 'undeclared' : 'differs'
  const [before, after] = [baseline ?? null, candidate ?? null]
  if (canonicalJson(before) === canonicalJson(after)) return []
  return [{ condition, baseline: before, candidate: after, reason, allowed: false }]
}

/**
 * Items that are missing although their trials have not run, or that have changed since. A wider selection is allowed:
 * its other items are added. It must contain the whole plan.
 */
function datasetDifference(
  stored: RunManifest,
  wanted: RunManifest,
  { hashes, takenKeys, widen }: KnownItems,
): readonly ConditionDifference[] {
  if (stored.dataset.hash === wanted.dataset.hash) return []
  const order = stored.itemOrder ?? []
  const selected = new Set(wanted.itemOrder)
  const isDone = (itemId: string) => {
    const repetitions = Array.from({ length: plannedRepetitions(stored, itemId) }, (_, index) => index + 1)
    return repetitions.every((repetition) => takenKeys.has(trialKey({ itemId, repetition })))
  }
  const gone = order.filter((id) => !selected.has(id) && (widen || !isDone(id)))
  if (gone.length > 0) return difference('items', gone, null)
  const pairs = order.map((id) => [id, hashes.get(id) ?? ''] as const)
  const unchanged = order.length > 0 && selectionHash(pairs) === stored.dataset.hash
  return unchanged ? [] : difference('dataset', stored.dataset.hash, wanted.dataset.hash)
}

/** As in `describe` of a dataset. */
function selectionHash(pairs: readonly (readonly [id: string, hash: string])[]): string {
  return sha256(canonicalJson([...pairs].sort(([a], [b]) => (a < b ? -1 : 1))))
}

function refuseDifferences(id: string, differences: readonly ConditionDifference[]): void {
  if (differences.length === 0) return
  const lines = differences.map((difference) => `  ${inWords(difference)}`)
  const problem = `Run ${id} cannot be resumed: it began under other conditions.\n${lines.join('\n')}`
  const message = `${problem}\nRestore them, or start a new run.`
  throw new JuristError('run-mismatch', message, { id, differences, problem })
}

const maxNamed = 10

const maxLength = 60

function inWords({ condition, baseline, candidate, reason }: ConditionDifference): string {
  if (condition === 'items' && Array.isArray(baseline)) {
    const more = baseline.length > maxNamed ? `, and ${baseline.length - maxNamed} more` : ''
    return `the selection leaves out: ${baseline.slice(0, maxNamed).join(', ')}${more}`
  }
  if (condition === 'dataset') return 'the dataset: items that have not run yet have changed'
  if (reason === 'undeclared') return `${condition}: declared only ${baseline === null ? 'now' : 'then'}`
  if (condition === 'shard') return `${baseline} then, ${candidate} now`
  if ([baseline, candidate].every(isDigest)) return `${condition}: changed since then`
  return `${condition}: ${short(baseline)} then, ${short(candidate)} now`
}

/** Hashes are not shown, since readers cannot interpret them. */
function isDigest(value: Json): boolean {
  return typeof value === 'string' && /^(sha256:)?[0-9a-f]{16,64}$/.test(value)
}

function short(value: Json): string {
  const text = JSON.stringify(value)
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

/** Stores a wider plan, together with the selection that it came from. */
async function extend(writer: RunWriter, stored: RunManifest, wanted: RunManifest): Promise<void> {
  const { planned, itemOrder, dataset, conditions, configuration } = wanted
  if (planned === stored.planned && dataset.hash === stored.dataset.hash) return
  const plan = { planned, itemOrder, dataset, conditions, configuration }
  await writer.extend?.(plan)
}
