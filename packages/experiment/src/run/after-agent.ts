import type { JsonObject } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import type { ExperimentInvocation } from '../invocation.js'
import type { Lease } from '../provision/provision.js'
import type { ItemFailure } from '../result/records.js'
import type { Attempted } from './attempt.js'
import type { Bench } from './bench.js'
import { withSignal } from './lent-signal.js'
import { limited } from './limited.js'
import { hookMetadata } from './set-up.js'

/** What the hook after the agent came to. */
export interface AfterAgent {
  /** What both hooks gave. */
  readonly metadata: JsonObject
  readonly failure: ItemFailure | null
}

/** Calls the hook after the agent. What goes wrong in it is a warning and a failure; the agent's outcome stays. */
export async function afterAgent(
  { bench, trial, setup }: Attempted,
  hook: NonNullable<Bench['settings']['hooks']['afterAgent']>,
  { lease, invocation }: { readonly lease: Lease; readonly invocation: ExperimentInvocation },
): Promise<AfterAgent> {
  const { setupTimeoutMs } = bench.settings
  const { item, repetition } = trial
  const late = `The hook afterAgent did not end within ${setupTimeoutMs} ms.`
  const ended = await limited({ stopping: bench.stopping, timeoutMs: setupTimeoutMs, late }, async (limit) =>
    hookMetadata(await hook(withSignal({ item, repetition, workspace: lease.workspace, invocation }, limit))),
  )
  if (ended.type === 'value') return { metadata: { ...setup.metadata, ...ended.value }, failure: null }
  const failure =
    ended.type === 'thrown'
      ? failureOf(ended.thrown)
      : { name: 'Timeout', message: ended.cut?.message ?? late, code: 'hook-timeout' }
  bench.warn('hook-failed', `The hook afterAgent failed: ${failure.message}`, trial.itemId)
  return { metadata: setup.metadata, failure: bench.classify(failure, 'hook') }
}
