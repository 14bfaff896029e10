import { type Json, JuristError } from '@jurist/core'
import { canonicalJson, sha256 } from '../dataset/hash.js'
import type { ConditionDifference } from '../result/condition.js'
import type { ItemResult } from '../result/records.js'
import type { ResultStore, RunManifest, RunWriter } from '../store/store.js'
import type { Selection } from './selection.js'
import { trialKey } from './trial.js'

/** A run that goes on. */
export interface Resumed {
  readonly manifest: RunManifest
  readonly writer: RunWriter
  /** Trials that are not run again. */
  readonly taken: readonly ItemResult[]
  readonly takenKeys: ReadonlySet<string>
}

/** The newest run of a name and variant that did not run to its end, if there is one; one that is running is left alone. */
export async function newestUnfinished(
  store: ResultStore,
  experimentName: string,
  variant: string | null,
): Promise<string | undefined> {
  for await (const entry of store.list({ experimentName, kind: 'agent' })) {
    const unfinished = entry.status !== 'completed' && entry.status !== 'running'
    if (unfinished && entry.variant === variant) return entry.id
  }
  return undefined
}

/**
 * Goes on with a stored run. What is stored is kept, except trials that were cancelled and, when asked for, those that
 * decided nothing.
 *
 * @param wanted the run as it would begin now
 * @throws `run-mismatch` listing everything in which it differs from the stored one, `run-unknown`, `run-locked`
 */
export async function resumeRun(
  store: ResultStore,
  runId: string,
  wanted: RunManifest & { readonly itemOrder: readonly string[] },
  { items: selected }: Selection,
  retryErrors: boolean,
): Promise<Resumed> {
  const { manifest, items, writer } = await store.resume(runId)
  try {
    const taken = items.filter(({ agent, passed }) => agent !== 'cancelled' && !(retryErrors && passed === null))
    const hashes = new Map(selected.map(({ id, hash }) => [id, hash]))
    // An item that has run is what it was then: only the others have to be the same still.
    for (const { itemId, itemHash } of taken) hashes.set(itemId, itemHash)
    refuseDifferences(runId, differences(manifest, wanted, hashes))
    await extend(writer, manifest, wanted)
    return { manifest, writer, taken, takenKeys: new Set(taken.map(trialKey)) }
  } catch (thrown) {
    await writer.release()
    throw thrown
  }
}

function differences(
  stored: RunManifest,
  wanted: RunManifest,
  hashes: ReadonlyMap<string, string>,
): readonly ConditionDifference[] {
  const { dataset: _stored, ...storedConditions } = stored.conditions
  const { dataset: _wanted, ...wantedConditions } = wanted.conditions
  const names = new Set([...Object.keys(storedConditions), ...Object.keys(wantedConditions)])
  const repetitions = [repetitionsOf(stored), repetitionsOf(wanted)] as const
  return [
    ...difference('name', stored.experimentName, wanted.experimentName),
    ...difference('variant', stored.variant, wanted.variant),
    ...[...names].flatMap((name) => difference(name, storedConditions[name], wantedConditions[name])),
    ...datasetDifference(stored, wanted, hashes),
    ...(repetitions[1] < repetitions[0] ? difference('repetitions', ...repetitions) : []),
  ]
}

function difference(condition: string, baseline: Json | undefined, candidate: Json | undefined): ConditionDifference[] {
  const reason = baseline === undefined || candidate === undefined ? 'undeclared' : 'differs'
  const [before, after] = [baseline ?? null, candidate ?? null]
  if (canonicalJson(before) === canonicalJson(after)) return []
  return [{ condition, baseline: before, candidate: after, reason, allowed: false }]
}

/** Items that are not selected any more, or that have changed since. A wider selection is none: its other items are added. */
function datasetDifference(
  stored: RunManifest,
  wanted: RunManifest,
  hashes: ReadonlyMap<string, string>,
): readonly ConditionDifference[] {
  if (stored.dataset.hash === wanted.dataset.hash) return []
  const order = stored.itemOrder ?? []
  const selected = new Set(wanted.itemOrder)
  const gone = order.filter((id) => !selected.has(id))
  if (gone.length > 0) return difference('items', gone, null)
  const pairs = order.map((id) => [id, hashes.get(id) ?? ''] as const)
  const unchanged = order.length > 0 && selectionHash(pairs) === stored.dataset.hash
  return unchanged ? [] : difference('dataset', stored.dataset.hash, wanted.dataset.hash)
}

/** As `describe` of a dataset has it. */
function selectionHash(pairs: readonly (readonly [id: string, hash: string])[]): string {
  return sha256(canonicalJson([...pairs].sort(([a], [b]) => (a < b ? -1 : 1))))
}

function repetitionsOf({ planned, dataset }: RunManifest): number {
  return dataset.selectedItemCount === 0 ? 0 : planned / dataset.selectedItemCount
}

function refuseDifferences(id: string, differences: readonly ConditionDifference[]): void {
  if (differences.length === 0) return
  const lines = differences.map((difference) => `  ${inWords(difference)}`)
  throw new JuristError(
    'run-mismatch',
    `Run ${id} cannot go on: it began under other conditions.\n${lines.join('\n')}\nRestore them, or start a new run.`,
    { id, differences },
  )
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
  return `${condition}: ${short(baseline)} then, ${short(candidate)} now`
}

/** Long values, such as fingerprints, by their beginning. */
function short(value: Json): string {
  const text = JSON.stringify(value)
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

/** Writes a wider plan down: what the wider selection is, belongs to it. */
async function extend(
  writer: RunWriter,
  stored: RunManifest,
  wanted: RunManifest & { readonly itemOrder: readonly string[] },
): Promise<void> {
  const { planned, itemOrder, dataset, conditions, configuration } = wanted
  if (planned === stored.planned && dataset.hash === stored.dataset.hash) return
  const plan = { planned, itemOrder, dataset, conditions, configuration }
  await writer.extend?.(plan)
}
