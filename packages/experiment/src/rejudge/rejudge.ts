import { type Judge, JuristError, type Jury } from '@jurist/core'
import { checkOptions } from '@jurist/core/internal'
import type { ExperimentResult } from '../result/records.js'
import { type RunOverview, resultWithItems } from '../result/trial-figures.js'
import { cancellation } from '../run/cancellation.js'
import { eventLog } from '../run/event-log.js'
import { stopOnSignal, storeOf, tellerOf } from '../run/run-experiment.js'
import type { ExperimentRun } from '../run/run-options.js'
import { newRunId } from '../store/names.js'
import type { ResultStore } from '../store/store.js'
import { performRejudge, type RejudgePlace } from './perform-rejudge.js'
import { type RejudgeOptions, rejudgeRules } from './rejudge-options.js'

/**
 * Judges the trials of a stored run again, with another jury or only some tiers, without calling the agent. The stored run is
 * never changed: a new one of kind `rejudge` tells where it comes from. A trial that cannot be judged again (its workspace was
 * not kept, say) is skipped with its reason and is no part of the new pass rate. Starts at once.
 *
 * @param run a result, or the id of one in `store`
 * @returns the new run: its events by iterating, its `result`, and `cancel`
 * @throws (through `result`) `option-invalid`, `run-unknown`, `tier-unknown`, `store-failed`; never for what a judge does
 *
 * @example
 * const { result } = rejudge('20261121T091500123Z-4kq7rm', strictJury, { store: 'results' })
 * const { passRate } = await result
 */
export function rejudge(
  run: ExperimentResult | string,
  jury: Jury | Judge,
  options: RejudgeOptions = {},
): ExperimentRun {
  const log = eventLog()
  const stopping = cancellation()
  const runId = newRunId()
  if (typeof options?.onEvent === 'function') log.listen(options.onEvent)
  const release = stopOnSignal(options?.signal, stopping)
  const place = { log, cancellation: stopping, runId, tell: tellerOf(log, { id: runId }) }
  const overview = execute(run, jury, options, place).finally(async () => {
    release()
    await log.end()
  })
  // A caller may read the events only: an unread rejection must not be reported as unhandled.
  overview.catch(() => undefined)
  let result: Promise<ExperimentResult> | undefined

  return Object.freeze<ExperimentRun>({
    runId,
    overview,
    get result() {
      result ??= overview.then(resultWithItems)
      return result
    },
    cancel: (reason = 'the run was cancelled') => stopping.stop('cancelled', reason),
    [Symbol.asyncIterator]: () => log[Symbol.asyncIterator](),
    async [Symbol.asyncDispose]() {
      stopping.stop('cancelled', 'the run was disposed of')
      await overview.catch(() => undefined)
    },
  })
}

async function execute(
  wanted: ExperimentResult | string,
  jury: Jury | Judge,
  given: RejudgeOptions,
  place: RejudgePlace,
): Promise<RunOverview> {
  const options = checkOptions('rejudge', given, rejudgeRules)
  if (typeof jury !== 'function')
    throw new JuristError('judge-invalid', 'rejudge: give a jury or a judge, a function of a context.', {
      name: 'jury',
    })
  const { store, close } = storeOf(options)
  const resultsDirectory = typeof options.store === 'string' ? options.store : undefined
  try {
    const run = await sourceRun(wanted, store)
    return await performRejudge(run, jury, { ...options, store, resultsDirectory }, place)
  } finally {
    await close()
  }
}

async function sourceRun(wanted: ExperimentResult | string, store: ResultStore): Promise<ExperimentResult> {
  if (typeof wanted !== 'string') return wanted
  const run = await store.load(wanted)
  if (run !== undefined) return run
  throw new JuristError('run-unknown', `There is no run ${wanted} in the store. Name one that list() gives.`, {
    id: wanted,
  })
}
