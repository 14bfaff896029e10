import { type Failure, failureOf, frozenJson, isPlainObject, type JsonObject } from '@jurist/core'
import type { Lease } from '../provision/provision.js'
import type { ItemFailure } from '../result/records.js'
import type { Attempt, Setup } from './attempt.js'
import { giveBack } from './give-back.js'
import { withSignal } from './lent-signal.js'
import { type Limit, limited } from './limited.js'

const nothing: JsonObject = Object.freeze({})

/**
 * Makes the workspace of an attempt, with its knowledge and what `beforeAgent` does. What goes wrong here, also what
 * takes too long, is a setup error; a workspace that comes too late is given back.
 */
export async function setUp(attempt: Attempt): Promise<Setup> {
  const { bench, trial, startedMs } = attempt
  const { setupTimeoutMs, hooks } = bench.settings
  bench.tell({ type: 'item-phase', itemId: trial.itemId, repetition: trial.repetition, phase: 'setup' })
  const isFilled = bench.knowledge !== null || hooks.beforeAgent !== undefined
  const hook: HookState = { origin: 'setup', metadata: nothing }
  const ended = await limited<Lease>(
    {
      stopping: bench.stopping,
      timeoutMs: setupTimeoutMs,
      late: `The setup did not end within ${setupTimeoutMs} ms.`,
      abandoned: (lease) => void giveBack(bench, trial, lease),
    },
    (limit) => {
      const lease = bench.provision(withSignal({ item: trial.item, repetition: trial.repetition }, limit))
      return isFilled ? fill(attempt, lease, limit, hook) : lease
    },
  )
  const setupMs = performance.now() - startedMs
  const { metadata } = hook
  const setup = { metadata, filled: isFilled, setupMs }
  if (ended.type === 'value') return { ...setup, lease: ended.value, outcome: null, failure: null }
  const failure =
    ended.type === 'thrown' ? failureOf(ended.thrown) : cutFailure(ended.cut?.by === 'stop', ended.cut?.message ?? '')
  const outcome = ended.cut?.by === 'stop' ? 'cancelled' : 'setup-error'
  return { ...setup, lease: null, outcome, failure: bench.classify(failure, hook.origin) }
}

/** Where a setup is, should it fail, and what its hook gave. */
interface HookState {
  origin: ItemFailure['origin']
  metadata: JsonObject
}

/** The lease, when its workspace has its knowledge and what `beforeAgent` does. */
async function fill(
  { bench, trial }: Attempt,
  provided: Promise<Lease>,
  limit: Limit,
  hook: HookState,
): Promise<Lease> {
  const { item, repetition } = trial
  const { beforeAgent } = bench.settings.hooks
  const lease = await provided
  const { workspace } = lease
  try {
    await bench.knowledge?.placeIn(workspace)
    if (beforeAgent !== undefined) {
      hook.origin = 'hook'
      hook.metadata = hookMetadata(await beforeAgent(withSignal({ item, repetition, workspace }, limit)))
    }
    return lease
  } catch (thrown) {
    await giveBack(bench, trial, lease)
    throw thrown
  }
}

function cutFailure(stopped: boolean, message: string): Failure {
  return stopped
    ? { name: 'Cancelled', message, code: 'cancelled' }
    : { name: 'Timeout', message, code: 'setup-timeout' }
}

/**
 * What a hook gave, as metadata.
 *
 * @throws `metadata-invalid` when it is no JSON
 */
export function hookMetadata(given: unknown): JsonObject {
  if (given === undefined || given === null) return nothing
  const metadata = frozenJson(given, ['the result of the hook'])
  if (!isPlainObject(metadata)) throw new TypeError('A hook must return an object of JSON, or nothing.')
  return metadata as JsonObject
}
