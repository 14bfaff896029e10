import type { ExperimentResult } from '../result/records.js'
import type { RunSession } from '../store/sessions.js'
import { experimentIssues, refuseIssues } from './define-experiment.js'
import { type EventLog, eventLog } from './event-log.js'
import type { Experiment, ExperimentOptions } from './experiment.js'
import { storeOf } from './open-store.js'
import { refuseChanges } from './prepare.js'
import type { SessionOptions, SessionRun } from './run-options.js'
import { sessionIssues, variantNames } from './run-rules.js'
import { runVariants } from './run-variants.js'
import { beginSession, sessionName } from './session-record.js'
import { settingsOf } from './settings.js'

/**
 * Runs the variants of an experiment, one run each, in one session: one after the other, or item by item so that drift in
 * time hits all alike. Starts at once. A variant that rejects is recorded as failed; a session that is cancelled stays
 * `running`, to be resumed.
 *
 * @returns the session: the events of its runs by iterating, and its `result`. With `resume` and no name, `session` is that
 * of the newest one that is not over from the first event on. A session without a name is called by the second it began
 * in, UTC (`20261121-091500`), the next ones of that second `…-2`, `…-3`
 * @throws (through `result`) `experiment-invalid`; `name-duplicate` when there is such a session and `resume` is not asked
 * for; what the store throws. What a variant rejects with is in the session's record and not thrown
 *
 * @example
 * const { results } = await runSession(experiment, { order: 'item' }).result
 * console.log(results.baseline?.passRate, results.candidate?.passRate)
 */
export function runSession<Variant extends string>(
  experiment: ExperimentOptions<Variant> | Experiment<Variant>,
  options: SessionOptions<NoInfer<Variant>> = {},
): SessionRun<Variant> {
  const log = eventLog()
  const naming = { session: options?.session ?? sessionName(new Date()) }
  if (typeof options?.onEvent === 'function') log.listen(options.onEvent)
  const result = execute(experiment, options, log, naming).finally(() => log.end())
  // Whoever reads no result is told by the events: nothing is unhandled.
  result.catch(() => undefined)
  return Object.freeze({
    get session() {
      return naming.session
    },
    result: result as SessionRun<Variant>['result'],
    [Symbol.asyncIterator]: () => log[Symbol.asyncIterator](),
  })
}

async function execute(
  experiment: ExperimentOptions,
  options: SessionOptions,
  log: EventLog,
  naming: { session: string },
): Promise<{ readonly session: RunSession; readonly results: { readonly [variant: string]: ExperimentResult } }> {
  const issues = [...experimentIssues(experiment), ...sessionIssues(experiment, options)]
  if (issues.length > 0) refuseIssues(experiment, issues)
  // A variant that cannot begin is noted as failed; what holds for all of them is refused before there is a session.
  await refuseChanges(settingsOf(experiment, null))
  const { store, close } = storeOf(experiment)
  try {
    const begun = await beginSession(store, experiment.name, naming.session, options)
    const { session, experimentName } = begun
    naming.session = session
    const variants = options.variants ?? variantNames(experiment)
    const { results, failed, interrupted } = await runVariants({ experiment, options, variants, begun, store, log })
    // One that was cancelled is not over.
    const ended = interrupted
      ? await store.sessions.load(experimentName, session)
      : await store.sessions.finish(experimentName, session, failed ? 'failed' : 'completed')
    return { session: ended ?? begun, results }
  } finally {
    await close()
  }
}
