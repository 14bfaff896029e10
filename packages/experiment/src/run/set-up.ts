import type { Failure, JsonObject } from '@jurist/core'
import { failureOf, frozenJson, isPlainObject } from '@jurist/core/internal'
import type { WorkspaceLease } from '../provision/provision.js'
import type { ItemFailure } from '../result/records.js'
import { releaseWorkspace } from './release-workspace.js'
import type { Attempt, Setup } from './run-context.js'
import { type Interruption, runStep, type Step } from './run-step.js'

const noMetadata: JsonObject = Object.freeze({})

/**
 * Provides the workspace of an attempt, places its knowledge and calls `beforeAgent`. Every failure here, a timeout
 * included, is a setup error; a workspace that comes too late is released.
 */
export async function setUp(attempt: Attempt): Promise<Setup> {
  const { run, trial, startedMs } = attempt
  const { itemId, repetition } = trial
  const { setupTimeoutMs: timeoutMs, hooks } = run.settings
  run.tell({ type: 'item-phase', itemId, repetition, phase: 'setup' })
  const progress: Progress = { origin: 'setup', metadata: noMetadata }
  const end = await runStep<WorkspaceLease>(
    {
      cancellation: run.cancellation,
      timeoutMs,
      controller: attempt.controller(),
      late: `The setup did not end within ${timeoutMs} ms.`,
      abandoned: (lease) => void releaseWorkspace(run, trial, lease),
    },
    (step) => filledWorkspace(attempt, step, progress),
  )
  const { origin, metadata } = progress
  const filled = run.knowledge !== null || hooks.beforeAgent !== undefined
  const setupMs = performance.now() - startedMs
  if (end.type === 'value') return { lease: end.value, outcome: null, failure: null, metadata, filled, setupMs }
  const failure = end.type === 'thrown' ? failureOf(end.thrown) : interruptedFailure(end.interruption)
  const outcome = end.interruption?.by === 'stop' ? 'cancelled' : 'setup-error'
  return { lease: null, outcome, failure: run.classify(failure, origin), metadata, filled, setupMs }
}

/** How far a setup has come, should it fail, and the result of its hook. */
interface Progress {
  origin: ItemFailure['origin']
  metadata: JsonObject
}

async function filledWorkspace({ run, trial }: Attempt, { signal }: Step, progress: Progress): Promise<WorkspaceLease> {
  const { item, repetition } = trial
  const { beforeAgent } = run.settings.hooks
  const lease = await run.provision({ item, repetition, signal })
  try {
    if (run.knowledge !== null) await run.knowledge.placeIn(lease.workspace)
    if (beforeAgent !== undefined) {
      progress.origin = 'hook'
      progress.metadata = hookMetadata(await beforeAgent({ item, repetition, workspace: lease.workspace, signal }))
    }
    return lease
  } catch (thrown) {
    await releaseWorkspace(run, trial, lease)
    throw thrown
  }
}

function interruptedFailure(interruption: Interruption | null): Failure {
  const message = interruption?.message ?? ''
  return interruption?.by === 'stop'
    ? { name: 'Cancelled', message, code: 'cancelled' }
    : { name: 'Timeout', message, code: 'setup-timeout' }
}

/**
 * The result of a hook as metadata.
 *
 * @throws `metadata-invalid` if it is not JSON
 */
export function hookMetadata(result: unknown): JsonObject {
  if (result === undefined || result === null) return noMetadata
  const metadata = frozenJson(result, ['the result of the hook'])
  if (!isPlainObject(metadata)) throw new TypeError('A hook must return an object of JSON, or nothing.')
  return metadata as JsonObject
}
