import { isDeepStrictEqual } from 'node:util'
import { JuristError, type Problems } from '@jurist/core'
import { type ExperimentResult, type ItemResult, type RunRecord, trialWith } from '../result/records.js'
import { resultOf } from '../result/summarize.js'
import type { TrialName } from '../result/trial-figures.js'
import { newRunId } from '../store/names.js'
import type { ResultStore, RunEnd, RunEntry, RunManifest, RunQuery } from '../store/store.js'

/**
 * A valid trial: item `item-1`, completed, judged `pass`. What is given replaces a field as it is.
 *
 * @example
 * import { anItem } from '@jurist/experiment/testing'
 *
 * anItem({ itemId: 'b', judged: 'fail', passed: false })
 */
export function anItem(overrides: Partial<ItemResult> = {}): ItemResult {
  return trialWith({
    itemId: 'item-1',
    itemHash: '0'.repeat(64),
    repetition: 1,
    task: 'do the task',
    agent: 'completed',
    judged: 'pass',
    passed: true,
    startedAt: '2026-01-01T00:00:00.000Z',
    endedAt: '2026-01-01T00:00:01.000Z',
    durationMs: 1_000,
    setupMs: 100,
    agentMs: 800,
    juryMs: 100,
    detail: { kind: 'agent', invocation: { status: 'completed' } },
    ...overrides,
  })
}

/**
 * A valid result of a completed run with one trial, and its summary. What is given replaces a field as it is; the id is
 * new each time.
 *
 * @example
 * import { aResult, anItem } from '@jurist/experiment/testing'
 *
 * aResult({ experimentName: 'add-readme', items: [anItem(), anItem({ itemId: 'b', judged: 'fail', passed: false })] })
 */
export function aResult(overrides: Partial<RunRecord> = {}): ExperimentResult {
  const items = overrides.items ?? [anItem()]
  return resultOf({
    schemaVersion: 1,
    id: newRunId(),
    experimentName: 'experiment',
    kind: 'agent',
    status: 'completed',
    stopReason: null,
    variant: null,
    session: null,
    lineage: null,
    dataset: datasetVersion,
    code: { gitCommit: null, dirty: false, dirtyFiles: [] },
    environment: { node: 'v20.19.0', platform: 'linux', arch: 'x64', jurist: '0.1.0', ci: false },
    conditions: {},
    configuration: {},
    jury: null,
    knowledge: null,
    baseline: null,
    startedAt: '2026-01-01T00:00:00.000Z',
    endedAt: '2026-01-01T00:00:01.000Z',
    durationMs: 1_000,
    planned: items.length,
    items,
    metadata: {},
    ...overrides,
  })
}

const datasetVersion: RunRecord['dataset'] = {
  name: 'dataset',
  version: '1',
  hash: '0'.repeat(64),
  gitCommit: null,
  dirty: false,
  activeItemCount: 1,
  selectedItemCount: 1,
}

export type ContractTest = (what: string, body: (store: ResultStore, experimentName: string) => Promise<void>) => void

/** The end of a run that went well. */
export const end: RunEnd = { status: 'completed', stopReason: null, durationMs: 1_000 }

/** A record of a run that has not begun. */
export function aManifest(overrides: Partial<RunManifest> & { readonly experimentName: string }): RunManifest {
  const { itemOrder, ...record } = overrides
  const { schemaVersion, id, kind, variant, session, lineage, dataset, code, environment, ...result } = aResult(record)
  const { conditions, configuration, jury, knowledge, baseline, startedAt, planned, metadata, experimentName } = result
  const head = { schemaVersion, id, experimentName, kind, variant, session, lineage, dataset, code, environment }
  const rest = { conditions, configuration, jury, knowledge, baseline, startedAt, planned, metadata }
  return { ...head, ...rest, ...(itemOrder === undefined ? {} : { itemOrder }) }
}

/** Identifies trials in their order. */
export function trialsOf(items: readonly TrialName[]): readonly string[] {
  return items.map(({ itemId, repetition }) => `${itemId} ${repetition}`)
}

/** All entries that a query finds. */
export async function entries(store: ResultStore, query: RunQuery): Promise<readonly RunEntry[]> {
  const found: RunEntry[] = []
  for await (const entry of store.list(query)) found.push(entry)
  return found
}

export function expectThat(holds: boolean, message: string): void {
  if (!holds) throw new Error(message)
}

/** Throws an `Error` unless both are the same JSON, whatever the order of keys. */
export function expectSame(actual: unknown, expected: unknown, what: string): void {
  const same = isDeepStrictEqual(plain(actual), plain(expected))
  if (!same) throw new Error(`${what}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`)
}

/** Throws an `Error` unless the promise is rejected with a `JuristError` of this code. */
export async function expectCode(promise: Promise<unknown>, code: keyof Problems): Promise<void> {
  const outcome = await promise.then(
    () => 'nothing was thrown',
    (thrown: unknown) => (JuristError.is(thrown, code) ? undefined : `${thrown} was thrown`),
  )
  if (outcome !== undefined) throw new Error(`expected a JuristError "${code}", but ${outcome}`)
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
}
