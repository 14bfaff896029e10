import type { ItemFailure, ItemResult } from '../result/records.js'
import { beginAttempts } from '../run/attempt-trial.js'
import { now } from '../run/events.js'
import { itemResult } from '../run/item-result.js'
import { notJudged } from '../run/judge-trial.js'
import type { PriorAttempt, RunContext, Turn } from '../run/run-context.js'
import { judgedTrial } from '../run/run-item.js'
import type { Trial } from '../run/trials.js'
import type { TrialLoss } from '../store/trial-queue.js'

/** The number of lost workers after which a trial ends undecided. */
const maxLosses = 3

/**
 * Runs a trial that may have been lost with other workers before: each of them is an attempt of unknown cost. After three, the
 * trial ends undecided.
 */
export async function leasedTrial(run: RunContext, trial: Trial, losses: readonly TrialLoss[]): Promise<ItemResult> {
  const earlier = losses.map((loss) => lostAttempt(loss))
  if (losses.length >= maxLosses) return lostTrial(run, trial, earlier)
  const { item, released } = await judgedTrial(run, trial, earlier)
  await released
  return item
}

function lostAttempt({ worker, durationMs }: TrialLoss): PriorAttempt {
  const spent = { costUsd: null, usage: undefined, user: undefined, verdict: null }
  return { failure: failureOfLoss(`The worker ${worker} was lost while it ran the trial.`), durationMs, ...spent }
}

function failureOfLoss(message: string): ItemFailure {
  return { name: 'WorkerLost', message, code: 'worker-lost', origin: 'setup', infrastructure: true }
}

/** The result of a trial that is not tried again. The last loss is its failure, those before it are its attempts. */
function lostTrial(run: RunContext, trial: Trial, earlier: readonly PriorAttempt[]): ItemResult {
  const { journal } = beginAttempts(run, trial, earlier)
  const message = `${earlier.length} workers were lost while they ran the trial. What it does may end the process: try the item alone.`
  const failure = failureOfLoss(message)
  const setup = { lease: null, outcome: 'setup-error', failure, metadata: {}, filled: false, setupMs: 0 } as const
  const turn: Turn = {
    invocation: null,
    outcome: 'setup-error',
    failure: null,
    recorded: [],
    touched: false,
    agentMs: 0,
  }
  const begun = { startedAt: now(), startedMs: performance.now(), controller: () => new AbortController() }
  const attempt = { run, trial, journal, number: earlier.length + 1, failed: earlier, ...begun }
  const after = { metadata: {}, failure: null }
  const nothing = { user: undefined, workspacePath: null, lost: false, journalPath: null }
  return itemResult({ ...attempt, setup, turn }, { judging: notJudged, after, ...nothing })
}
