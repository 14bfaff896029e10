import type { JsonObject } from '@jurist/core'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { scoresOf } from '../result/scores.js'
import { sumUsage } from '../result/summarize.js'
import { passedOf } from '../result/trial-outcome.js'
import type { Judging } from '../run/run-jury.js'
import type { SkipReason } from './rejudge-options.js'

/** A trial with a new verdict. What the agent did, and what that cost, stays as it was. */
export function rejudgedItem(item: ItemResult, run: ExperimentResult, judging: Judging): ItemResult {
  const { verdict, failure, judged } = judging
  const agentFailure = item.agent === 'completed' ? null : item.failure
  const infrastructure = agentFailure?.infrastructure ?? false
  const note: JsonObject = {
    rejudged: true,
    originalJudged: item.judged,
    originalPassed: item.passed,
    originalJury: run.jury?.fingerprint ?? null,
    originalStartedAt: run.lineage?.originalStartedAt ?? run.startedAt,
  }
  return {
    ...item,
    judged,
    passed: passedOf(item.agent, judged, infrastructure),
    failure: agentFailure ?? failure,
    juryMs: judging.juryMs,
    verdict,
    scores: verdict === null ? {} : scoresOf(verdict),
    judgeUsage: verdict === null ? null : sumUsage([verdict.usage]),
    judgeCostUsd: verdict?.costUsd ?? null,
    metadata: { ...withoutNotes(item.metadata), rejudge: note },
  }
}

/** A trial that is not judged again: no part of the new pass rate, its original outcome beside it. */
export function skippedItem(item: ItemResult, { skip, message }: SkipReason): ItemResult {
  const { judged, passed, failure } = item
  return {
    ...item,
    judged: 'not-judged',
    passed: null,
    failure: item.agent === 'completed' ? null : failure,
    juryMs: 0,
    verdict: null,
    scores: {},
    judgeUsage: null,
    judgeCostUsd: null,
    metadata: {
      ...withoutNotes(item.metadata),
      original: { judged, passed, failure: failure === null ? null : { ...failure } } satisfies JsonObject,
      rejudge: { rejudged: false, reason: skip, message },
    },
  }
}

/** The notes of an earlier judging tell of another run. */
function withoutNotes({ original, rejudge, ...metadata }: JsonObject): JsonObject {
  return metadata
}
