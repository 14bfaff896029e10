import type { JsonObject, JudgmentContext } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { scoresOf } from '../result/scores.js'
import { sumUsage } from '../result/spending.js'
import { trialText } from '../result/trial-figures.js'
import { isUserAtFault, passedOf } from '../result/trial-outcome.js'
import { runStep } from '../run/cancellation.js'
import type { Hooks } from '../run/experiment.js'
import { type Judging, type JudgingRun, runJury, userFailure } from '../run/judge-trial.js'
import type { RejudgeJuries, RejudgeJury } from './rejudge-juries.js'
import type { RejudgeContext, SkipReason } from './rejudge-options.js'
import { storedItem } from './stored-trial.js'

export interface Rejudging extends JudgingRun {
  readonly run: ExperimentResult
  readonly juryOf: RejudgeJuries['of']
  readonly context: RejudgeContext
  readonly judgeFailedRuns: boolean
  readonly judgeTimeoutMs: number
  readonly beforeJury: Hooks['beforeJury']
}

const stopped: SkipReason = { skip: 'other', message: 'The run was stopped before this trial was judged.' }

/** A stored trial, judged again or skipped with its reason. */
export async function rejudgeTrial(rejudging: Rejudging, item: ItemResult): Promise<ItemResult> {
  const { run, cancellation, context } = rejudging
  if (!isJudgedAgain(item, rejudging.judgeFailedRuns)) return skippedItem(item, agentNotCompleted(item))
  const chosen = rejudging.juryOf(item)
  if ('skip' in chosen) return skippedItem(item, chosen)
  rejudging.tell({ type: 'item-phase', ...placeOf(item), phase: 'setup' })
  const late = ''
  // Making the context has no time limit, since copying large workspaces takes long.
  const made = await runStep(
    { cancellation, timeoutMs: Number.POSITIVE_INFINITY, late, abandoned: disposeOf },
    ({ signal }) => context(item, run, signal),
  )
  if (made.type === 'thrown') return rejudgedItem(item, run, brokenContext(rejudging, made.thrown))
  if (made.type === 'unfinished') return skippedItem(item, stopped)
  if ('skip' in made.value) return skippedItem(item, made.value)
  try {
    const judging = await judge(rejudging, item, made.value, chosen)
    return judging.cancelled ? skippedItem(item, stopped) : rejudgedItem(item, run, judging)
  } finally {
    await disposeOf(made.value)
  }
}

async function judge(
  rejudging: Rejudging,
  item: ItemResult,
  stored: JudgmentContext,
  { jury, merge }: RejudgeJury,
): Promise<Judging> {
  const { beforeJury, judgeTimeoutMs } = rejudging
  const { detail } = item
  const invocation = detail?.kind === 'agent' ? detail.invocation : null
  const askHook = (context: JudgmentContext) => {
    if (invocation === null) return undefined
    const { workspace, signal } = context
    const stage = { item: storedItem(item), repetition: item.repetition, workspace, invocation, context }
    return beforeJury?.({ ...stage, signal })
  }
  const judging = await runJury(rejudging, {
    jury,
    place: placeOf(item),
    timeoutMs: judgeTimeoutMs,
    context: (signal) => ({ ...stored, signal }),
    beforeJury: beforeJury === undefined ? null : askHook,
  })
  if (judging.verdict === null || merge === null) return judging
  return { ...judging, verdict: merge(item.verdict, judging.verdict) }
}

function brokenContext({ classify }: Rejudging, thrown: unknown): Judging {
  const failure = classify(failureOf(thrown), 'setup')
  return { judged: 'error', verdict: null, failure, cancelled: false, juryMs: 0 }
}

/**
 * Whether a stored trial is judged again at all: one whose agent completed is, one whose agent timed out or failed where
 * that is asked for, any other never.
 */
export function isJudgedAgain(item: Pick<ItemResult, 'agent'>, judgeFailedRuns: boolean): boolean {
  return item.agent === 'completed' || (judgeFailedRuns && wasRun(item))
}

/** A trial whose agent never started, or was stopped from outside, has no evidence about the agent. */
function wasRun({ agent }: Pick<ItemResult, 'agent'>): boolean {
  return agent === 'timeout' || agent === 'error'
}

function agentNotCompleted({ itemId, repetition, agent }: ItemResult): SkipReason {
  const message = `The agent of ${trialText({ itemId, repetition })} did not complete: ${agent}.`
  return {
    skip: 'agent-not-completed',
    message: wasRun({ agent }) ? `${message} Judge it with judgeFailedRuns.` : message,
  }
}

function placeOf({ itemId, repetition }: ItemResult): Pick<ItemResult, 'itemId' | 'repetition'> {
  return { itemId, repetition }
}

/** Removes the files that were made for a context, if its workspace is disposable. */
export async function disposeOf(context: JudgmentContext | SkipReason): Promise<void> {
  if ('skip' in context) return
  const { workspace } = context
  if (Symbol.asyncDispose in workspace) await (workspace as AsyncDisposable)[Symbol.asyncDispose]()
}

/** A trial with a new verdict. The agent's part, including its cost, stays unchanged. */
function rejudgedItem(item: ItemResult, run: ExperimentResult, judging: Judging): ItemResult {
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
    passed: passedOf(item.agent, judged, infrastructure, isUserAtFault(item.user)),
    failure: agentFailure ?? userFailure(item.user) ?? failure,
    juryMs: judging.juryMs,
    verdict,
    scores: verdict === null ? {} : scoresOf(verdict),
    judgeUsage: verdict === null ? null : sumUsage([verdict.usage]),
    judgeCostUsd: verdict?.costUsd ?? null,
    metadata: { ...withoutNotes(item.metadata), rejudge: note },
  }
}

/** A trial that is not judged again. The new pass rate leaves it out; its original outcome is kept. */
function skippedItem(item: ItemResult, { skip, message }: SkipReason): ItemResult {
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

/** The notes of an earlier judging describe another run. */
function withoutNotes({ original, rejudge, ...metadata }: JsonObject): JsonObject {
  return metadata
}
