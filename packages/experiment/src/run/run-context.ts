import type { Failure, JournalEvent, JsonObject, Jury, Usage, UserPart, Verdict } from '@jurist/core'
import { semaphore } from '@jurist/kit/semaphore'
import type { ExperimentInvocation } from '../invocation.js'
import type { NetworkLog, TrialJournal } from '../journal/trial-journal.js'
import type { PreparedKnowledge } from '../provision/knowledge.js'
import type { Provision, WorkspaceLease } from '../provision/provision.js'
import type { AgentOutcome, FailedAttempt, ItemFailure } from '../result/records.js'
import type { RunKind } from '../result/run-kind.js'
import type { Cancellation } from './cancellation.js'
import type { Selected } from './check-run.js'
import type { Tell } from './events.js'
import type { Preserve } from './experiment.js'
import { classifier, type Recording, recordingOf } from './failures.js'
import { agentVariables, type Settings } from './settings.js'
import type { Trial } from './trials.js'

export interface RunContext {
  readonly runId: string
  readonly kind: RunKind
  readonly settings: Settings
  /** The jury of an item; `null`: it is not judged. */
  readonly juryOf: (itemId: string) => Jury | null
  readonly provision: Provision
  readonly knowledge: PreparedKnowledge | null
  /** The agent's environment variables. */
  readonly env: { readonly [name: string]: string }
  /** The directory of the run; `null` if the store keeps no files. */
  readonly directory: string | null
  /** Whether the directory stays where it is: not with a store that takes its files into a database. */
  readonly keepsDirectory: boolean
  readonly preserve: Preserve
  /** Whether an earlier process may have left files of a trial. */
  readonly resumed: boolean
  readonly cancellation: Cancellation
  /** Limits how many juries run at the same time. */
  readonly judging: { run<Value>(work: () => Value | PromiseLike<Value>): Promise<Value> }
  readonly tell: Tell
  warn(code: string, message: string, itemId: string | null): void
  /** Emits a warning from a model once, however often it is repeated. */
  notify(notice: string): void
  readonly recording: Recording
  /** A failure as it is stored, with whether the infrastructure is to blame. */
  classify(failure: Failure, origin: ItemFailure['origin']): ItemFailure
}

/** An attempt that is retried, with its cost. */
export interface PriorAttempt extends FailedAttempt {
  readonly usage: Usage | undefined
  readonly user: UserPart | undefined
  /** The verdict of a jury that judged the trial before its user was found at fault. */
  readonly verdict: Verdict | null
}

/** One attempt at a trial, before its setup. */
export interface Attempt {
  readonly run: RunContext
  readonly trial: Trial
  readonly journal: TrialJournal
  /** Counted from 1. */
  readonly number: number
  readonly failed: readonly PriorAttempt[]
  readonly startedAt: string
  /** By the monotonic clock. */
  readonly startedMs: number
  readonly network: NetworkLog
}

/** The result of the setup of an attempt. Without a workspace the agent is not called. */
export interface Setup {
  readonly lease: WorkspaceLease | null
  /** Set if the agent is not called. */
  readonly outcome: 'setup-error' | 'cancelled' | null
  readonly failure: ItemFailure | null
  readonly metadata: JsonObject
  /** Whether the runner or a hook may have put something into the workspace. */
  readonly filled: boolean
  readonly setupMs: number
}

/** The result of the agent's part of an attempt. */
export interface Turn {
  readonly invocation: ExperimentInvocation | null
  readonly outcome: AgentOutcome
  readonly failure: ItemFailure | null
  /** Journal events about tools that the agent recorded. */
  readonly recorded: readonly JournalEvent[]
  /** Whether the agent may have changed something in the workspace. */
  readonly touched: boolean
  readonly agentMs: number
}

export interface Attempted extends Attempt {
  readonly setup: Setup
  readonly turn: Turn
}

/** The result of the hook after the agent. */
export interface AfterAgent {
  /** The merged results of both hooks. */
  readonly metadata: JsonObject
  readonly failure: ItemFailure | null
}

/** Warns of each notice of a model once in a run. */
export function notifying(tell: Tell): RunContext['notify'] {
  const told = new Set<string>()
  return (message) => {
    if (told.has(message)) return
    told.add(message)
    tell({ type: 'warning', code: 'model-notice', message, itemId: null })
  }
}

/** The context that the trials of a run share. */
export function contextOfRun(
  { settings, provision, knowledge, juries }: Pick<Selected, 'settings' | 'provision' | 'knowledge' | 'juries'>,
  run: Pick<RunContext, 'runId' | 'kind' | 'directory' | 'keepsDirectory' | 'resumed' | 'cancellation' | 'tell'>,
): RunContext {
  const { tell, directory } = run
  const warn: RunContext['warn'] = (code, message, itemId) => tell({ type: 'warning', code, message, itemId })
  const recording = recordingOf(settings)
  return {
    ...{ ...run, settings, provision, knowledge, warn, recording },
    juryOf: juries.of,
    env: agentVariables(settings.environment),
    preserve: settings.preserve ?? (directory === null ? 'none' : 'all'),
    judging: semaphore(settings.judgeConcurrency),
    notify: notifying(tell),
    classify: classifier(settings.retries, recording, (code, message) => warn(code, message, null)),
  }
}
