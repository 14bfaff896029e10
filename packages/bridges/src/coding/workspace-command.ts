import type { CommandResult, Failure } from '@jurist/core'
import type { RunOutcome } from '../context/outcome.js'
import type { CodingCall } from './coding-run.js'
import type { Variables } from './environment.js'
import { endFailure, lastLine, startFailure } from './failures.js'

const dayMs = 86_400_000
const maxTold = 2_000

/** How a command of an agent is run. */
export interface WorkspaceCommand {
  readonly words: readonly string[]
  readonly stdin?: string | undefined
  /** Added to the environment of the call. */
  readonly variables?: Variables | undefined
  /** The most that is kept of each stream; of a longer one the end is kept. */
  readonly maxOutputBytes: number
}

/** Runs an agent's command where the workspace runs its commands: on this machine, or in its sandbox. */
export function runInWorkspace(call: CodingCall, command: WorkspaceCommand): Promise<CommandResult> {
  const { task, environment, graceMs } = call
  return task.workspace.run(command.words, {
    signal: task.signal,
    timeoutMs: task.timeoutMs ?? dayMs,
    env: { ...environment, ...command.variables },
    stdin: command.stdin === undefined ? 'ignore' : { text: command.stdin },
    maxOutputBytes: command.maxOutputBytes,
    killAfterMs: graceMs,
  })
}

/** How a command ended, where that says that the run did not succeed; a program of its own may say more. */
export function badEnding(
  result: CommandResult,
  command: string,
  successCodes: readonly number[],
): Pick<RunOutcome, 'status' | 'failure'> | undefined {
  switch (result.status) {
    case 'not-started':
      return { status: 'failed', failure: startFailure(command, result.failure?.message ?? 'no reason was given') }
    case 'timed-out':
      return { status: 'timeout', failure: endFailure('timeout', `it took longer than ${result.elapsedMs} ms`) }
    case 'aborted':
      return { status: 'cancelled', failure: endFailure('aborted', 'it was stopped') }
    case 'killed':
      return { status: 'failed', failure: endFailure(`killed-${result.signal}`, killedBy(result)) }
    case 'exited':
      return successCodes.includes(result.exitCode ?? -1) ? undefined : { status: 'failed', failure: exited(result) }
    default:
      return result.status satisfies never
  }
}

function killedBy({ signal, stderr }: CommandResult): string {
  return `it was ended by ${signal}. ${lastLine(stderr)}`.trimEnd()
}

function exited({ exitCode, stderr }: CommandResult): Failure {
  return endFailure(`exit-${exitCode}`, `it exited with code ${exitCode}. ${stderr.trim().slice(-maxTold)}`.trimEnd())
}
