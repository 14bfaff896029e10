import type { Failure, Invocation } from '@jurist/core'
import { failureOf, type Soon, soon } from '@jurist/core/internal'
import { type ExperimentInvocation, errored } from '../invocation.js'
import { phaseEvents } from '../journal/phase-events.js'
import type { Lease } from '../provision/provision.js'
import type { AgentOutcome } from '../result/records.js'
import { type AgentDirectory, agentDirectory } from './agent-directory.js'
import { type AgentRecorder, agentRecorder } from './agent-recorder.js'
import { agentTask, type Loan } from './agent-task.js'
import { type LentWorkspace, lendWorkspace } from './agent-workspace.js'
import type { Attempt, Turn } from './attempt.js'
import { inTime } from './in-time.js'
import { type Cut, type Ended, type Limit, limited } from './limited.js'
import { readInvocation } from './read-invocation.js'

const graceMs = 10_000

/**
 * Calls the agent within its time. Whatever becomes of it is an invocation: a throw is an error, a value that is none as
 * well; what it says within 10 seconds after it was told to end is kept. When this resolves, what it started through the
 * workspace has ended too.
 */
export function takeTurn(attempt: Attempt, lease: Lease): Soon<Turn> {
  const { bench, trial } = attempt
  const { itemTimeoutMs } = bench.settings
  bench.tell({ type: 'item-phase', itemId: trial.itemId, repetition: trial.repetition, phase: 'agent' })
  const lent = lendWorkspace(() => lease.workspace)
  const directory = agentDirectory(attempt)
  const recorder = agentRecorder(attempt)
  const startedMs = performance.now()
  const late = `The agent did not end within ${itemTimeoutMs} ms.`
  const limits = { stopping: bench.stopping, timeoutMs: itemTimeoutMs, startedMs, late, graceMs }
  const ended = limited(limits, (limit) => {
    recorder.begin(limit)
    return bench.settings.agent(agentTask(attempt, loanOf(lent, limit, directory, recorder)))
  })
  return soon(ended, (ended) => {
    const agentMs = performance.now() - startedMs
    recorder.end()
    return soon(endProcesses(attempt, lent), () => {
      directory?.removeIfEmpty()
      return turnOf(attempt, ended, { agentMs, recorded: recorder.used(), touched: lent.touched() })
    })
  })
}

interface TurnFacts {
  readonly agentMs: number
  /** Whether the agent recorded something itself. */
  readonly recorded: boolean
  readonly touched: boolean
}

function turnOf(attempt: Attempt, ended: Ended<Invocation>, { agentMs, recorded, touched }: TurnFacts): Turn {
  const { bench, journal } = attempt
  const given = invocationOf(ended, attempt, agentMs)
  const invocation = given.elapsedMs === undefined ? Object.freeze({ ...given, elapsedMs: agentMs }) : given
  if (!recorded && invocation.phases !== undefined)
    for (const event of phaseEvents(invocation.phases, bench.settings.model ?? 'unknown')) journal.record(event)
  return {
    invocation,
    outcome: outcomeOf(invocation),
    failure: invocation.failure === undefined ? null : bench.classify(invocation.failure, 'agent'),
    touched,
    agentMs,
  }
}

function loanOf(
  { workspace }: LentWorkspace,
  { signal }: Limit,
  directory: AgentDirectory | null,
  { record }: AgentRecorder,
): Loan {
  return { workspace, signal, runDirectory: directory === null ? null : directory.make, record }
}

function endProcesses({ bench, trial }: Attempt, lent: LentWorkspace): Soon<void> {
  const commands = lent.takeBack()
  return soon(commands === null || inTime(commands, graceMs), (ended) => {
    if (!ended) bench.warn('processes-left', `Commands of the agent did not end within ${graceMs} ms.`, trial.itemId)
  })
}

function invocationOf(ended: Ended<Invocation>, { bench, trial }: Attempt, agentMs: number): ExperimentInvocation {
  const given = givenInvocation(ended, agentMs, (code, message) => bench.warn(code, message, trial.itemId))
  const { cut } = ended
  if (cut === null) return given.status === 'completed' || given.status === 'refused' ? given : withFailure(given)
  const status = cut.by === 'time' ? 'timeout' : 'cancelled'
  return Object.freeze({ ...given, status, failure: cutFailure(cut) })
}

function givenInvocation(
  ended: Ended<Invocation>,
  agentMs: number,
  warn: (code: string, message: string) => void,
): ExperimentInvocation {
  switch (ended.type) {
    case 'value': {
      const { invocation, warnings } = readInvocation(ended.value, agentMs)
      for (const { code, message } of warnings) warn(code, message)
      return invocation
    }
    case 'thrown':
      return errored(ended.thrown)
    case 'unfinished':
      return { status: 'cancelled' }
    default:
      return ended satisfies never
  }
}

function cutFailure({ by, message }: Cut): Failure {
  switch (by) {
    case 'time':
      return { name: 'Timeout', message, code: 'agent-timeout' }
    case 'stop':
      return { name: 'Cancelled', message, code: 'cancelled' }
    case 'cost':
      return { name: 'BudgetExceeded', message, code: 'budget-exceeded' }
    default:
      return by satisfies never
  }
}

/** An agent that ended badly without saying why. */
function withFailure(invocation: ExperimentInvocation): ExperimentInvocation {
  if (invocation.failure !== undefined) return invocation
  const timedOut = invocation.status === 'timeout'
  const failure = failureOf(
    new Error(`The agent returned the status ${JSON.stringify(invocation.status)} without a failure.`),
  )
  return Object.freeze({ ...invocation, failure: timedOut ? { ...failure, code: 'agent-timeout' } : failure })
}

function outcomeOf({ status }: ExperimentInvocation): AgentOutcome {
  return status === 'refused' ? 'completed' : status
}
