import type { Failure, JsonObject } from '@jurist/core'
import { failureOf, frozenJson, isPlainObject, type Soon, soon } from '@jurist/core/internal'
import { atOnce, type Lease } from '../provision/provision.js'
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
export function setUp(attempt: Attempt): Soon<Setup> {
  const { bench, trial, startedMs } = attempt
  const { itemId, repetition, item } = trial
  bench.tell({ type: 'item-phase', itemId, repetition, phase: 'setup' })
  if (bench.knowledge !== null || bench.settings.hooks.beforeAgent !== undefined) return provided(attempt, true)
  const lease = bench.stopping.cancelled === null ? bench.provision[atOnce]?.(item) : null
  if (lease === null || lease === undefined) return provided(attempt, false)
  const setupMs = performance.now() - startedMs
  return { lease, outcome: null, failure: null, metadata: nothing, filled: false, setupMs }
}

/** The setup within its limits. */
function provided(attempt: Attempt, filled: boolean): Soon<Setup> {
  const { bench, trial, startedMs } = attempt
  const { setupTimeoutMs } = bench.settings
  const hook: HookState = { origin: 'setup', metadata: nothing }
  const ended = limited<Lease>(
    {
      stopping: bench.stopping,
      timeoutMs: setupTimeoutMs,
      late: `The setup did not end within ${setupTimeoutMs} ms.`,
      abandoned: (lease) => void giveBack(bench, trial, lease),
    },
    (limit) => {
      const { item, repetition } = trial
      const lease = bench.provision(withSignal({ item, repetition }, limit))
      return filled ? fill(attempt, lease, limit, hook) : lease
    },
  )
  return soon(ended, (ended) => {
    const setupMs = performance.now() - startedMs
    const { origin, metadata } = hook
    const setup = { metadata, filled, setupMs }
    if (ended.type === 'value') return { ...setup, lease: ended.value, outcome: null, failure: null }
    const failure =
      ended.type === 'thrown' ? failureOf(ended.thrown) : cutFailure(ended.cut?.by === 'stop', ended.cut?.message ?? '')
    const outcome = ended.cut?.by === 'stop' ? 'cancelled' : 'setup-error'
    return { ...setup, lease: null, outcome, failure: bench.classify(failure, origin) }
  })
}

/** Where a setup is, should it fail, and what its hook gave. */
interface HookState {
  origin: ItemFailure['origin']
  metadata: JsonObject
}

/** The lease, when its workspace has its knowledge and what `beforeAgent` does. */
async function fill({ bench, trial }: Attempt, coming: Promise<Lease>, limit: Limit, hook: HookState): Promise<Lease> {
  const { item, repetition } = trial
  const { beforeAgent } = bench.settings.hooks
  const lease = await coming
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
