import type { ItemResult } from './records.js'
import {
  failedByError,
  judgeTimedOut,
  trialChecks,
  trialEnvironmentProblem,
  trialJudges,
  trialStages,
} from './trial-evidence.js'
import type { SummarizedTrial, Trial, TrialFigures } from './trial-figures.js'
import { reasonOf } from './trial-outcome.js'

/** The figures of a trial that the summary of a run needs. */
export function summarizedTrial(item: ItemResult): SummarizedTrial {
  const { itemId, repetition, bucket, agent, judged, passed, failure } = item
  const { agentMs, usage, judgeUsage, costUsd, judgeCostUsd, scores, efficiency } = item
  const trial = {
    itemId,
    repetition,
    bucket,
    agent,
    judged,
    passed,
    failure,
    agentMs,
    usage,
    judgeUsage,
    costUsd,
    judgeCostUsd,
    scores,
    efficiency,
  }
  return item.user === undefined ? trial : Object.assign(trial, { user: item.user })
}

const longestReason = 400

export function figuresOf(item: ItemResult): TrialFigures {
  const { itemSlug, itemHash, tags, failure, endedAt, durationMs } = item
  const reason = reasonOf(item)
  // Spreading takes ten times as long, in every trial of a run.
  const figures = Object.assign(summarizedTrial(item), {
    itemSlug,
    itemHash,
    tags,
    failure: failure === null ? null : { infrastructure: failure.infrastructure },
    endedAt,
    durationMs,
    checks: trialChecks(item),
    stages: trialStages(item),
    judges: trialJudges(item),
    failedByError: failedByError(item),
    judgeTimedOut: judgeTimedOut(item),
    environmentProblem: trialEnvironmentProblem(item),
    reason: reason.length > longestReason ? `${reason.slice(0, longestReason - 1)}…` : reason,
  })
  const tried = triedIn(item)
  return tried === undefined ? figures : Object.assign(figures, { tried })
}

const longest = 120

/**
 * The probe or the mutant that a trial tried, from the agent's `metadata.tried`, in a run whose repetitions of an item
 * each try something else. `undefined` if all repetitions try the same.
 */
function triedIn({ detail }: ItemResult): string | undefined {
  const tried = detail?.kind === 'agent' ? detail.invocation.metadata?.['tried'] : undefined
  return typeof tried === 'string' && tried !== '' ? tried.slice(0, longest) : undefined
}

/** As `triedIn`, of a whole trial or of its figures. */
export function triedOf(trial: Trial): string | undefined {
  return 'detail' in trial ? triedIn(trial) : trial.tried
}
