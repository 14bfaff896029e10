import { failureOf } from '@jurist/core/internal'
import type { ItemFailure, ItemResult } from '../result/records.js'
import { attemptTrial, beginAttempts, endAttempt, hookMetadata, retriesUser } from './attempt-trial.js'
import { runStep } from './cancellation.js'
import type { Hooks } from './experiment.js'
import { type Finding, itemResult } from './item-result.js'
import { auditUser, type Judging, judgeTrial, notJudged, userFailure } from './judge-trial.js'
import type { AfterAgent, Attempted, PriorAttempt, RunContext } from './run-context.js'
import { isUntouched, isWorthKeeping, keepWorkspace, releaseWorkspace } from './trial-workspace.js'
import { type Trial, trialName } from './trials.js'

/** A trial that has been judged. */
export interface JudgedTrial {
  readonly item: ItemResult
  /** Resolves when the workspace is released, which takes place while the result is stored. `null`: there is nothing to release. */
  readonly released: Promise<void> | null
}

/**
 * One trial from its workspace to its result.
 *
 * @param earlier attempts of other processes, oldest first
 */
export async function judgedTrial(
  run: RunContext,
  trial: Trial,
  earlier: readonly PriorAttempt[] = [],
): Promise<JudgedTrial> {
  const attempts = beginAttempts(run, trial, earlier)
  for (;;) {
    const attempted = await attemptTrial(run, trial, attempts)
    const { lease } = attempted.setup
    const release = () => (lease === null ? null : releaseWorkspace(run, trial, lease))
    try {
      const finding = await examine(attempted)
      if ('userFailure' in finding) {
        const { userFailure: failure, user, verdict } = finding
        attempts.failed.push(await endAttempt(attempted, failure, { user, verdict }))
        continue
      }
      return { item: itemResult(attempted, finding), released: release() }
    } catch (thrown) {
      await release()
      throw thrown
    }
  }
}

/** Stores a trial. Resolves when its result is durable and its workspace is released; rejects only when the store does. */
export async function storeTrial(run: RunContext, { item, released }: JudgedTrial): Promise<ItemResult> {
  const { itemId, repetition } = item
  try {
    run.tell({ type: 'item-phase', itemId, repetition, phase: 'store' })
    await run.append(item)
    return item
  } finally {
    await released
  }
}

/** An attempt that is given up, since its simulated user was at fault and it is held again. */
interface GivenUp extends Pick<PriorAttempt, 'user' | 'verdict'> {
  readonly userFailure: ItemFailure
}

/** Everything after the agent: its hook, keeping the workspace, the jury, the audit of the user, the journal. */
async function examine(attempted: Attempted): Promise<Finding | GivenUp> {
  const { run, trial, setup, journal } = attempted
  const { lease } = setup
  const hook = run.settings.hooks.afterAgent
  const after = hook === undefined ? { metadata: setup.metadata, failure: null } : await afterAgent(attempted, hook)
  const isKept = lease !== null && isWorthKeeping(attempted, lease)
  const kept = isKept ? await keepWorkspace(attempted, lease) : null
  const judging = await judge(attempted, after)
  const user = await auditUser(attempted, judging)
  const failure = userFailure(user)
  if (failure !== null && retriesUser(attempted)) {
    await kept?.discard()
    return { userFailure: failure, user, verdict: judging.verdict }
  }
  const isUnwanted = judging.judged === 'pass' && failure === null && run.preserve === 'failed'
  if (isUnwanted) await kept?.discard()
  const workspacePath = isUnwanted ? null : (kept?.path ?? null)
  const lost = workspacePath === null && lease !== null && !isUntouched(attempted, lease)
  const isWritten = !journal.isEmpty() && (await journal.close())
  const journalPath = isWritten ? `journal/${trialName(trial)}.jsonl` : null
  return { judging, after, user, workspacePath, lost, journalPath }
}

function judge(attempted: Attempted, { metadata }: AfterAgent): Promise<Judging> {
  const { run, trial, setup, turn } = attempted
  const { lease } = setup
  const { invocation, outcome } = turn
  const jury = run.juryOf(trial.itemId)
  const isSeen = outcome === 'completed' || (run.settings.judgeFailedRuns && outcome !== 'cancelled')
  if (lease === null || invocation === null || jury === null || !isSeen) return Promise.resolve(notJudged)
  return judgeTrial(attempted, jury, { lease, invocation, metadata })
}

/** Calls the hook after the agent. Its failure is a warning and the trial's failure; the agent's outcome stays. */
async function afterAgent(
  { run, trial, setup, turn }: Attempted,
  hook: NonNullable<Hooks['afterAgent']>,
): Promise<AfterAgent> {
  const { metadata, lease } = setup
  const { invocation } = turn
  const { setupTimeoutMs: timeoutMs } = run.settings
  const { cancellation } = run
  if (lease === null || invocation === null || cancellation.cancelled !== null) return { metadata, failure: null }
  const { item, repetition } = trial
  const { workspace } = lease
  const late = `The hook afterAgent did not end within ${timeoutMs} ms.`
  const end = await runStep({ cancellation, timeoutMs, late }, async ({ signal }) =>
    hookMetadata(await hook({ item, repetition, workspace, invocation, signal })),
  )
  if (end.type === 'value') return { metadata: { ...metadata, ...end.value }, failure: null }
  const failure =
    end.type === 'thrown'
      ? failureOf(end.thrown)
      : { name: 'Timeout', message: end.interruption.message, code: 'hook-timeout' }
  run.warn('hook-failed', `The hook afterAgent failed: ${failure.message}`, trial.itemId)
  return { metadata, failure: run.classify(failure, 'hook') }
}
