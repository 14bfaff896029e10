import { dirname, relative, sep } from 'node:path'
import type { JsonObject, UserPart } from '@jurist/core'
import { failureOf, totalCost, totalSpent } from '@jurist/core/internal'
import type { DatasetItem, ItemSource } from '../dataset/item.js'
import { efficiency } from '../efficiency.js'
import type { AgentOutcome, ItemResult } from '../result/records.js'
import { scoresOf } from '../result/scores.js'
import { sumUsage } from '../result/spending.js'
import { isUserAtFault, passedOf } from '../result/trial-outcome.js'
import { now } from './events.js'
import { type Judging, userFailure } from './judge-trial.js'
import { storedInvocation } from './read-invocation.js'
import type { AfterAgent, Attempted } from './run-context.js'
import { isRecordedAgent } from './stored-outputs.js'

/** The outcome of a trial before it is stored. */
export interface Finding {
  readonly judging: Judging
  readonly after: AfterAgent
  /** After its audit. */
  readonly user: UserPart | undefined
  readonly workspacePath: string | null
  /** Whether the workspace held files that are not kept. */
  readonly lost: boolean
  readonly journalPath: string | null
}

/** A trial as it is stored. */
export function itemResult(attempted: Attempted, finding: Finding): ItemResult {
  const { run, trial, setup, turn, failed, startedAt } = attempted
  const { item } = trial
  const { judging, workspacePath, journalPath } = finding
  const { verdict } = judging
  const agent: AgentOutcome = judging.cancelled ? 'cancelled' : turn.outcome
  const judged = judging.cancelled ? 'not-judged' : judging.judged
  const { passed, failure } = outcome(attempted, finding, agent, judged)
  // What most items lack is added at the end: spreading takes several times as long, which matters for thousands of trials.
  const result: ItemResult = {
    itemId: item.id,
    itemSlug: item.slug,
    itemHash: item.hash,
    repetition: trial.repetition,
    bucket: item.bucket,
    taskType: item.taskType,
    tags: item.tags,
    task: item.task,
    agent,
    judged,
    passed,
    failure,
    attempts: failed.map(({ failure, durationMs, costUsd }) => ({ failure, durationMs, costUsd })),
    startedAt,
    endedAt: now(),
    durationMs: durationOf(attempted, judging),
    setupMs: setup.setupMs,
    agentMs: turn.agentMs,
    juryMs: judging.juryMs,
    usage: sumUsage([...failed.map(({ usage }) => usage), turn.invocation?.usage]),
    judgeUsage: sumUsage([...failed.map((prior) => prior.verdict?.usage), verdict?.usage]),
    costUsd: totalCost([...failed.map(({ costUsd }) => costUsd), turn.invocation?.costUsd]) ?? null,
    judgeCostUsd: totalCost([...failed.map((prior) => prior.verdict?.costUsd), verdict?.costUsd]) ?? null,
    scores: verdict === null ? {} : scoresOf(verdict),
    efficiency: efficiencyOf(attempted),
    verdict,
    detail: detailOf(attempted),
    workspacePath,
    beforePath: sourcePath(item.before, run.directory),
    referencePath: sourcePath(item.reference, run.directory),
    journalPath,
    metadata: metadataOf(attempted, finding),
  }
  if (item.expectedOutput !== null) Object.assign(result, { expectedOutput: item.expectedOutput })
  if (item.expectedAnyOf) Object.assign(result, { expectedAnyOf: true })
  return Object.assign(result, storedJudges(item), userOf(attempted, finding))
}

/** Milliseconds from the start to the end; of a recording, what its agent and its jury took, and 0 where it says no time. */
function durationOf({ run, turn, startedMs }: Attempted, { juryMs }: Finding['judging']): number {
  if (!isRecordedAgent(run.settings.agent)) return performance.now() - startedMs
  return turn.agentMs === 0 ? 0 : turn.agentMs + juryMs
}

/** The item's own judges, for judging again. */
function storedJudges({ judges, jury, path }: DatasetItem): Pick<ItemResult, 'judges'> {
  if (judges === null && jury === null) return {}
  // A jury of the program cannot be stored, and its item is not judged again by half of its judges.
  return { judges: { described: jury === null ? judges : null, directory: path ?? '' } }
}

/** The failure that counts (the agent's, then the jury's, then the hook's) and whether the trial passed. */
function outcome(
  { turn, setup }: Attempted,
  { judging, after, user }: Finding,
  agent: AgentOutcome,
  judged: ItemResult['judged'],
): Pick<ItemResult, 'passed' | 'failure'> {
  const failure = setup.failure ?? turn.failure ?? userFailure(user) ?? judging.failure ?? after.failure
  return { failure, passed: passedOf(agent, judged, turn.failure?.infrastructure ?? false, isUserAtFault(user)) }
}

/** The user's part in the attempt that counts, with what it cost in all of them. */
function userOf({ failed }: Attempted, { user }: Finding): Pick<ItemResult, 'user'> {
  if (user === undefined) return {}
  const { ended, faults, audited } = user
  return { user: { ended, faults, audited, ...totalSpent([...failed.map((prior) => prior.user), user]) } }
}

function efficiencyOf({ run, trial, turn }: Attempted): ItemResult['efficiency'] {
  const { settings } = run
  if (settings.efficiency === null || turn.invocation === null) return null
  try {
    return efficiency(turn.invocation, settings.efficiency)
  } catch (thrown) {
    run.warn('efficiency-failed', `The efficiency cannot be computed: ${failureOf(thrown).message}`, trial.itemId)
    return null
  }
}

function detailOf({ run, trial, turn }: Attempted): ItemResult['detail'] {
  if (turn.invocation === null) return null
  const { stored, dropped } = storedInvocation(turn.invocation)
  if (dropped.length > 0)
    run.warn(
      'metadata-not-stored',
      `Metadata of the agent is not JSON and is not stored: ${dropped.join(', ')}.`,
      trial.itemId,
    )
  return { kind: 'agent', invocation: stored }
}

function metadataOf({ trial }: Attempted, { after, lost }: Finding): JsonObject {
  const { item } = trial
  const kept = lost ? { workspaceKept: false } : undefined
  return Object.assign({}, after.metadata, item.metadata, otherSources(item), rightAnswer(item), kept)
}

/**
 * The path of an item's files, relative to the results directory, so that both can be moved together; absolute if the
 * store keeps no files. Others have no path: see `otherSources`.
 */
function sourcePath(source: ItemSource | null, runDirectory: string | null): string | null {
  if (source?.type !== 'directory') return null
  if (runDirectory === null) return source.path
  // <results>/<experiment>/<run>
  return relative(dirname(dirname(runDirectory)), source.path)
    .split(sep)
    .join('/')
}

/** The sources of an item without a path as metadata: `beforeSource`, `referenceSource`. */
function otherSources({ before, reference }: DatasetItem): JsonObject {
  return {
    ...(isOther(before) && { beforeSource: { ...before } }),
    ...(isOther(reference) && { referenceSource: { ...reference } }),
  }
}

function isOther(source: ItemSource | null): source is Exclude<ItemSource, { readonly type: 'directory' }> {
  return source !== null && source.type !== 'directory'
}

/** What else an item says of the right answer, as metadata, for judging again later. */
function rightAnswer({ referenceData, noChange }: DatasetItem): JsonObject {
  return { ...(referenceData.length > 0 && { referenceData }), ...(noChange && { noChange }) }
}
