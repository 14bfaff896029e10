import type { Soon } from '@jurist/core'
import type { Lease } from '../provision/provision.js'
import type { ItemResult } from '../result/records.js'
import { afterAgent } from './after-agent.js'
import type { Attempted } from './attempt.js'
import { attemptTrial } from './attempt-trial.js'
import type { Bench } from './bench.js'
import { giveBack } from './give-back.js'
import { type Finding, itemResult } from './item-result.js'
import { type Evidence, judgeTrial } from './judge-trial.js'
import { isUntouched, keepWorkspace } from './keep-workspace.js'
import { type Judging, notJudged } from './put-to-vote.js'
import { type Trial, trialName } from './trial.js'

/**
 * The corridor: one trial from its workspace to its durable result. Rejects only when the store does.
 *
 * @param examined told the result before it is stored: agent and jury have ended
 */
export async function runItem(bench: Bench, trial: Trial, examined: (item: ItemResult) => void): Promise<ItemResult> {
  const { item, lease } = await examinedItem(bench, trial)
  try {
    examined(item)
    bench.tell({ type: 'item-phase', itemId: trial.itemId, repetition: trial.repetition, phase: 'store' })
    await bench.append(item)
    return item
  } finally {
    if (lease !== null) await giveBack(bench, trial, lease)
  }
}

/** A function of its own: what an attempt was made of is not kept while its result is on the way to the disk. */
async function examinedItem(bench: Bench, trial: Trial): Promise<{ item: ItemResult; lease: Lease | null }> {
  const attempted = await attemptTrial(bench, trial)
  const { lease } = attempted.setup
  try {
    return { item: itemResult(attempted, await examine(attempted)), lease }
  } catch (thrown) {
    if (lease !== null) await giveBack(bench, trial, lease)
    throw thrown
  }
}

/** After the agent: its hook, then the evidence is kept, then it is judged. */
async function examine(attempted: Attempted): Promise<Finding> {
  const { bench, trial, setup, turn, journal } = attempted
  const { lease } = setup
  const { invocation } = turn
  const { hooks } = bench.settings
  const after =
    hooks.afterAgent === undefined || lease === null || invocation === null || bench.stopping.cancelled !== null
      ? { metadata: setup.metadata, failure: null }
      : await afterAgent(attempted, hooks.afterAgent, { lease, invocation })
  const kept = lease === null ? null : await keepWorkspace(attempted, lease)
  const judging =
    lease === null || invocation === null
      ? notJudged
      : await judge(attempted, { lease, invocation, metadata: after.metadata })
  const passed = judging.judged === 'pass'
  if (passed && bench.preserve === 'failed') await kept?.discard()
  const journalPath = !journal.isEmpty() && (await journal.close()) ? `journal/${trialName(trial)}.jsonl` : null
  const workspacePath = passed && bench.preserve === 'failed' ? null : (kept?.path ?? null)
  const lost = workspacePath === null && lease !== null && !isUntouched(attempted, lease)
  return { judging, after, workspacePath, lost, journalPath }
}

function judge(attempted: Attempted, evidence: Evidence): Soon<Judging> {
  const { bench, turn } = attempted
  const isSeen = turn.outcome === 'completed' || (bench.settings.judgeFailedRuns && turn.outcome !== 'cancelled')
  return bench.jury === null || !isSeen ? notJudged : judgeTrial(attempted, bench.jury, evidence)
}
