import { dirname, join, relative, sep } from 'node:path'
import type { JsonObject, UserPart } from '@jurist/core'
import { failureOf, frozenJson, isPlainObject, totalCost, totalSpent } from '@jurist/core/internal'
import { pause } from '@jurist/kit/retry-pause'
import type { DatasetItem, ItemSource } from '../dataset/item.js'
import { efficiency } from '../efficiency.js'
import { networkLog, type TrialJournal, trialJournal } from '../journal/trial-journal.js'
import type { WorkspaceLease } from '../provision/provision.js'
import type { AgentOutcome, ItemFailure, ItemResult, KeptChanges } from '../result/records.js'
import { scoresOf } from '../result/scores.js'
import { sumUsage } from '../result/spending.js'
import { isUserAtFault, passedOf } from '../result/trial-outcome.js'
import { interruptedFailure, runStep, type Step } from './cancellation.js'
import { now } from './events.js'
import type { Hooks } from './experiment.js'
import { isRetried, retryDelay } from './failures.js'
import { auditUser, type Judging, judgeTrial, notJudged, userFailure } from './judge-trial.js'
import { runAgent, storedInvocation } from './run-agent.js'
import type { AfterAgent, Attempt, Attempted, PriorAttempt, RunContext, Setup, Turn } from './run-context.js'
import { isRecordedAgent } from './stored-outputs.js'
import { isUntouched, isWorthKeeping, keepWorkspace, releaseWorkspace } from './trial-workspace.js'
import { type Trial, trialName } from './trials.js'

/**
 * One trial from its workspace to its result: setup, agent, jury; again, with a fresh workspace, while the infrastructure or
 * the simulated user fails and attempts are left.
 *
 * @param earlier attempts of other processes, oldest first
 */
export async function runTrial(
  run: RunContext,
  trial: Trial,
  earlier: readonly PriorAttempt[] = [],
): Promise<ItemResult> {
  const journal = journalOf(run, trial)
  const network = networkLog(journal)
  const failed = [...earlier]
  for (;;) {
    const startedMs = performance.now()
    const { itemId, repetition } = trial
    const number = failed.length + 1
    run.tell({ type: 'item-start', itemId, repetition, attempt: number })
    const attempt: Attempt = { run, trial, journal, network, number, failed, startedAt: now(), startedMs }
    const phase: Phase = { now: 'agent' }
    const setup = await setUp(attempt, phase)
    const turn = setup.lease === null ? noTurn(setup.outcome) : await runAgent(attempt, setup.lease)
    phase.now = 'judge'
    hintAtList(attempt, turn)
    const attempted = Object.assign(attempt, { setup, turn })
    let ended: ItemResult | GivenUp
    try {
      ended = await outcomeOf(attempted)
    } finally {
      if (setup.lease !== null) await releaseWorkspace(run, trial, setup.lease)
    }
    if ('itemId' in ended) return ended
    failed.push(await nextDue(attempted, ended))
  }
}

const unreachable =
  /E(?:NOTFOUND|AI_AGAIN|NETUNREACH|CONNREFUSED)|connection ?refused|could not resolve|name resolution|network is unreachable/i

/** A program that ignores the proxy fails as if there were no network, and its message does not say why. */
function hintAtList({ run, trial }: Attempt, { failure }: Turn): void {
  const { network } = run.provision
  if (network === undefined || failure === null || !unreachable.test(failure.message)) return
  const reached = network.hosts.length === 0 ? 'no host' : `only ${network.hosts.join(', ')}`
  const hint = `The sandbox reaches ${reached}, and programs that ignore HTTPS_PROXY cannot reach anything.`
  run.warn('network-closed', `${hint} Add a host to network.allow, or with --allow-host.`, trial.itemId)
}

/** Whose commands run. */
interface Phase {
  now: 'agent' | 'judge'
}

/**
 * The result of a trial that is not tried again.
 *
 * @param earlier all its attempts
 */
export function abandonedTrial(
  run: RunContext,
  trial: Trial,
  earlier: readonly PriorAttempt[],
  failure: ItemFailure,
): ItemResult {
  const begun = { number: earlier.length + 1, failed: earlier, startedAt: now(), startedMs: performance.now() }
  const setup = { lease: null, outcome: 'setup-error', failure, metadata: {}, filled: false, setupMs: 0 } as const
  const journal = journalOf(run, trial)
  const network = networkLog(journal)
  const attempted = { run, trial, journal, network, ...begun, setup, turn: noTurn('setup-error') }
  const nothing = { user: undefined, workspacePath: null, keptChanges: undefined, lost: false, journalPath: null }
  return itemResult(attempted, { judging: notJudged, after: { metadata: {}, failure: null }, ...nothing })
}

function noTurn(outcome: Setup['outcome']): Turn {
  return {
    invocation: null,
    outcome: outcome ?? 'setup-error',
    failure: null,
    recorded: [],
    touched: false,
    agentMs: 0,
  }
}

/** An attempt that is given up for another one. */
interface GivenUp extends Pick<PriorAttempt, 'failure' | 'user' | 'verdict'> {}

/** The result of an attempt, unless it is given up. */
async function outcomeOf(attempted: Attempted): Promise<ItemResult | GivenUp> {
  const failure = failureToRetry(attempted)
  if (failure !== null) return { failure, user: attempted.turn.invocation?.user, verdict: null }
  const { run, trial, setup, journal, network } = attempted
  const { lease } = setup
  const hook = run.settings.hooks.afterAgent
  const after = hook === undefined ? { metadata: setup.metadata, failure: null } : await afterAgent(attempted, hook)
  const kept = lease !== null && isWorthKeeping(attempted, lease) ? await keepWorkspace(attempted, lease) : null
  const judging = await judge(attempted, after)
  const user = await auditUser(attempted, judging)
  const ofUser = userFailure(user)
  if (ofUser !== null && retriesUser(attempted)) {
    await kept?.discard()
    return { failure: ofUser, user, verdict: judging.verdict }
  }
  const isUnwanted = judging.judged === 'pass' && ofUser === null && run.preserve === 'failed'
  if (isUnwanted) await kept?.discard()
  const workspacePath = isUnwanted ? null : (kept?.path ?? null)
  const keptChanges = isUnwanted ? undefined : kept?.changes
  const lost = workspacePath === null && lease !== null && !isUntouched(attempted, lease)
  network.end()
  const isWritten = !journal.isEmpty() && (await journal.close())
  const journalPath = isWritten ? `journal/${trialName(trial)}.jsonl` : null
  return itemResult(attempted, { judging, after, user, workspacePath, keptChanges, lost, journalPath })
}

/** Waits until the next attempt is due, after one that is given up. */
async function nextDue(attempted: Attempted, { failure, ...spent }: GivenUp): Promise<PriorAttempt> {
  const { run, trial, journal, number, turn } = attempted
  const { itemId, repetition } = trial
  const durationMs = performance.now() - attempted.startedMs
  const { usage, costUsd = null } = turn.invocation ?? {}
  const delayMs = failure.infrastructure ? retryDelay(number, run.settings.retries, askedDelay(turn)) : 0
  run.tell({ type: 'item-retry', itemId, repetition, attempt: number, failure, delayMs })
  if (!journal.isEmpty()) journal.record({ type: 'custom', name: 'attempt', data: { attempt: number + 1 } })
  const controller = new AbortController()
  const release = run.cancellation.onCancel(() => controller.abort())
  // Only the cancellation of the run ends the pause early; the next attempt notices it.
  await pause(delayMs, controller.signal).catch(() => {})
  release()
  return { failure, durationMs, costUsd, usage, ...spent }
}

/** The failure that is worth another attempt. A timeout of the agent never is. */
function failureToRetry({ run, setup, turn, failed }: Attempted): ItemFailure | null {
  const failure = setup.failure ?? turn.failure
  const failedEarly = turn.outcome === 'error' || turn.outcome === 'setup-error'
  if (failure === null || !failedEarly || !isRetried(failure)) return null
  const number = failed.filter(({ failure }) => failure.origin !== 'user' && failure.code !== 'worker-lost').length + 1
  return number < run.settings.retries.attempts && run.cancellation.cancelled === null ? failure : null
}

/** Whether a conversation whose user was at fault is held again. */
function retriesUser({ run, failed }: Attempted): boolean {
  const retried = failed.filter(({ failure }) => failure.origin === 'user').length
  return retried < run.settings.retries.user && run.cancellation.cancelled === null
}

/** The delay that a server asked for, where the agent passes it on. */
function askedDelay({ invocation }: Turn): number {
  const asked = invocation?.metadata?.['retryAfterMs']
  return typeof asked === 'number' && Number.isFinite(asked) ? Math.max(0, asked) : 0
}

function journalOf({ settings, directory, runId, tell, warn }: RunContext, trial: Trial): TrialJournal {
  const { itemId, repetition } = trial
  return trialJournal({
    file:
      settings.journal && directory !== null
        ? () => ({
            path: join(directory, 'journal', `${trialName(trial)}.jsonl`),
            header: { experimentName: settings.name, runId, variant: settings.variant, itemId, repetition },
          })
        : null,
    recorded: (event) => tell({ type: 'journal', itemId, repetition, event }),
    warn: (code, message) => warn(code, message, itemId),
  })
}

const noMetadata: JsonObject = Object.freeze({})

/**
 * Provides the workspace of an attempt, places its knowledge and calls `beforeAgent`. Every failure here, a timeout
 * included, is a setup error; a workspace that comes too late is released.
 */
async function setUp(attempt: Attempt, phase: Phase): Promise<Setup> {
  const { run, trial, startedMs } = attempt
  const { itemId, repetition } = trial
  const { setupTimeoutMs: timeoutMs, hooks } = run.settings
  run.tell({ type: 'item-phase', itemId, repetition, phase: 'setup' })
  const progress: Progress = { origin: 'setup', metadata: noMetadata }
  const end = await runStep<WorkspaceLease>(
    {
      cancellation: run.cancellation,
      timeoutMs,
      late: `The setup did not end within ${timeoutMs} ms.`,
      abandoned: (lease) => void releaseWorkspace(run, trial, lease),
    },
    (step) => filledWorkspace(attempt, step, progress, phase),
  )
  const { origin, metadata } = progress
  const filled = run.knowledge !== null || hooks.beforeAgent !== undefined
  const setupMs = performance.now() - startedMs
  if (end.type === 'value') return { lease: end.value, outcome: null, failure: null, metadata, filled, setupMs }
  const failure = end.type === 'thrown' ? failureOf(end.thrown) : interruptedFailure(end.interruption, 'setup-timeout')
  const outcome = end.interruption?.by === 'stop' ? 'cancelled' : 'setup-error'
  return { lease: null, outcome, failure: run.classify(failure, origin), metadata, filled, setupMs }
}

/** How far a setup has come, should it fail, and the result of its hook. */
interface Progress {
  origin: ItemFailure['origin']
  metadata: JsonObject
}

async function filledWorkspace(
  { run, trial, network }: Attempt,
  { signal }: Step,
  progress: Progress,
  phase: Phase,
): Promise<WorkspaceLease> {
  const { item, repetition } = trial
  const { beforeAgent } = run.settings.hooks
  const lease = await run.provision({
    item,
    repetition,
    signal,
    onNetwork: (attempt) => network.record(attempt, phase.now),
  })
  try {
    if (run.knowledge !== null) await run.knowledge.placeIn(lease.workspace)
    if (beforeAgent !== undefined) {
      progress.origin = 'hook'
      progress.metadata = hookMetadata(await beforeAgent({ item, repetition, workspace: lease.workspace, signal }))
    }
    return lease
  } catch (thrown) {
    await releaseWorkspace(run, trial, lease)
    throw thrown
  }
}

/**
 * The result of a hook as metadata.
 *
 * @throws `metadata-invalid` if it is not JSON
 */
function hookMetadata(result: unknown): JsonObject {
  if (result === undefined || result === null) return noMetadata
  const metadata = frozenJson(result, ['the result of the hook'])
  if (!isPlainObject(metadata)) throw new TypeError('A hook must return an object of JSON, or nothing.')
  return metadata as JsonObject
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

/** The outcome of a trial before it is stored. */
interface Finding {
  readonly judging: Judging
  readonly after: AfterAgent
  /** After its audit. */
  readonly user: UserPart | undefined
  readonly workspacePath: string | null
  readonly keptChanges: KeptChanges | undefined
  /** Whether the workspace held files that are not kept. */
  readonly lost: boolean
  readonly journalPath: string | null
}

function itemResult(attempted: Attempted, finding: Finding): ItemResult {
  const { run, trial, setup, turn, failed, startedAt } = attempted
  const { item } = trial
  const { judging, workspacePath, journalPath } = finding
  const { verdict } = judging
  const agent: AgentOutcome = judging.cancelled ? 'cancelled' : turn.outcome
  const judged = judging.cancelled ? 'not-judged' : judging.judged
  const { passed, failure } = outcome(attempted, finding, agent, judged)
  // Rare fields are assigned afterwards: spreading them takes several times as long, in every trial of a run.
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
  const asked = attempted.network.counts()
  if (asked !== undefined) Object.assign(result, { network: asked })
  if (finding.keptChanges !== undefined) Object.assign(result, { keptChanges: finding.keptChanges })
  return Object.assign(result, storedJudges(item), userOf(attempted, finding))
}

/**
 * Milliseconds from start to end. For a recording: the recorded time of the agent plus the time of the jury, 0 if no time was
 * recorded.
 */
function durationOf({ run, turn, startedMs }: Attempted, { juryMs }: Finding['judging']): number {
  if (!isRecordedAgent(run.settings.agent)) return performance.now() - startedMs
  return turn.agentMs === 0 ? 0 : turn.agentMs + juryMs
}

/** The item's own judges, stored so that the trial can be judged again. */
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

/** The simulated user's part in the attempt that counts, with the cost over all attempts. */
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
 * The path of an item's files, relative to the results directory, so that both can be moved together; absolute if the store keeps
 * no files. Sources without a path are in `otherSources`.
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

/** Other facts about the right answer, stored as metadata so that the trial can be judged again. */
function rightAnswer({ referenceData, noChange }: DatasetItem): JsonObject {
  return { ...(referenceData.length > 0 && { referenceData }), ...(noChange && { noChange }) }
}
