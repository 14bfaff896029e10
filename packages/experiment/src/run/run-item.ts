import { type Soon, soon } from '@jurist/core/internal'
import type { Lease } from '../provision/provision.js'
import type { ItemResult } from '../result/records.js'
import { type AfterAgent, afterAgent } from './after-agent.js'
import type { Attempted } from './attempt.js'
import { attemptTrial } from './attempt-trial.js'
import type { Bench } from './bench.js'
import { giveBack } from './give-back.js'
import { type Finding, itemResult } from './item-result.js'
import { judgeTrial } from './judge-trial.js'
import { isUntouched, type KeptWorkspace, keepWorkspace } from './keep-workspace.js'
import { lastly } from './lastly.js'
import { type Judging, notJudged } from './put-to-vote.js'
import { type Trial, trialName } from './trial.js'

/**
 * The corridor: one trial from its workspace to its durable result. Fails only when the store does.
 *
 * @param examined told the result before it is stored: agent and jury have ended
 */
export function runItem(bench: Bench, trial: Trial, examined: (item: ItemResult) => void): Soon<ItemResult> {
  return soon(attemptTrial(bench, trial), (attempted) => {
    const { lease } = attempted.setup
    const record = () =>
      soon(examine(attempted), (finding) => stored(bench, trial, itemResult(attempted, finding), examined))
    return lease === null ? record() : lastly(record, givingBack(bench, trial, lease))
  })
}

/** A function of its own: what an attempt was made of is not kept while its result is on the way to the disk. */
function givingBack(bench: Bench, trial: Trial, lease: Lease): () => Soon<void> {
  return () => giveBack(bench, trial, lease)
}

function stored(
  bench: Bench,
  { itemId, repetition }: Trial,
  item: ItemResult,
  examined: (item: ItemResult) => void,
): Soon<ItemResult> {
  examined(item)
  bench.tell({ type: 'item-phase', itemId, repetition, phase: 'store' })
  return soon(bench.append(item), () => item)
}

/** After the agent: its hook, then the evidence is kept, then it is judged. */
function examine(attempted: Attempted): Soon<Finding> {
  const { lease } = attempted.setup
  return soon(hooked(attempted), (after) =>
    soon(lease === null ? null : keepWorkspace(attempted, lease), (kept) =>
      soon(judge(attempted, after), (judging) => finding(attempted, after, kept, judging)),
    ),
  )
}

function hooked(attempted: Attempted): Soon<AfterAgent> {
  const { bench, setup, turn } = attempted
  const { lease } = setup
  const { invocation } = turn
  const { afterAgent: hook } = bench.settings.hooks
  return hook === undefined || lease === null || invocation === null || bench.stopping.cancelled !== null
    ? { metadata: setup.metadata, failure: null }
    : afterAgent(attempted, hook, { lease, invocation })
}

function judge(attempted: Attempted, { metadata }: AfterAgent): Soon<Judging> {
  const { bench, setup, turn } = attempted
  const { lease } = setup
  const { invocation, outcome } = turn
  const isSeen = outcome === 'completed' || (bench.settings.judgeFailedRuns && outcome !== 'cancelled')
  return lease === null || invocation === null || bench.jury === null || !isSeen
    ? notJudged
    : judgeTrial(attempted, bench.jury, { lease, invocation, metadata })
}

/** What was found, when the copy that nobody wants is gone and the journal is in its file. */
function finding(attempted: Attempted, after: AfterAgent, kept: KeptWorkspace | null, judging: Judging): Soon<Finding> {
  const { bench, trial, setup, journal } = attempted
  const { lease } = setup
  const isUnwanted = judging.judged === 'pass' && bench.preserve === 'failed'
  const workspacePath = isUnwanted ? null : (kept?.path ?? null)
  const lost = workspacePath === null && lease !== null && !isUntouched(attempted, lease)
  return soon(isUnwanted ? kept?.discard() : undefined, () =>
    soon(!journal.isEmpty() && journal.close(), (isWritten) => {
      const journalPath = isWritten ? `journal/${trialName(trial)}.jsonl` : null
      return { judging, after, workspacePath, lost, journalPath }
    }),
  )
}
