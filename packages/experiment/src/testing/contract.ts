import { isDeepStrictEqual } from 'node:util'
import { JuristError, type Problems } from '@jurist/core'
import type { TrialName } from '../result/trial-figures.js'
import type { ResultStore, RunEnd, RunEntry, RunManifest, RunQuery } from '../store/store.js'
import { aResult } from './records.js'

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
