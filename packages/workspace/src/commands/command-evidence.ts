import type { Check, CommandResult, ErrorJudgment, FailJudgment, JsonObject } from '@jurist/core'
import { error, JuristError, unjudgeable } from '@jurist/core'
import { type CommandLine, displayed } from './command-line.js'
import { type ExitCodes, expectedCodes, isExpected } from './exit-codes.js'

const keptOutputBytes = 8_192

/** What is known of a command that was run for a judgment. */
export interface CommandEvidence {
  readonly result: CommandResult
  /** `command_execution`: whether it ended as expected. */
  readonly check: Check
  /** The metadata that every judge of a command has. */
  readonly metadata: JsonObject
}

/** Which command was run, and what was wanted of it. */
export interface Wanted {
  readonly command: CommandLine
  readonly exitCode: ExitCodes
  /** Milliseconds. */
  readonly timeoutMs: number
  /** Milliseconds of processor time. */
  readonly cpuMs?: number | undefined
}

/**
 * The evidence of a command that ran, or the judgment of one that could not be started: FAIL for a program of the
 * workspace, else ERROR.
 *
 * @throws the reason of the signal when the command was stopped by it
 */
export function evidenceOf(
  result: CommandResult,
  wanted: Wanted,
  signal: AbortSignal,
): CommandEvidence | ErrorJudgment | FailJudgment {
  const { status, exitCode, truncated, elapsedMs } = result
  const metadata: JsonObject = {
    command: displayed(wanted.command),
    status,
    exitCode,
    expectedExitCode: wanted.exitCode,
    output: lastBytes(`${result.stdout}${result.stderr}`, keptOutputBytes),
    truncated,
    elapsedMs,
    ...(result.exceeded === undefined ? {} : { exceeded: result.exceeded }),
    ...(result.cpuMs === undefined ? {} : { cpuMs: result.cpuMs }),
  }
  switch (status) {
    case 'aborted':
      signal.throwIfAborted()
      throw new JuristError('aborted', 'The command was stopped.', { reason: result.failure?.message ?? status })
    case 'not-started':
      return neverStarted(result, wanted, metadata)
    case 'exited':
    case 'killed':
    case 'timed-out': {
      const passed = status === 'exited' && isExpected(exitCode, wanted.exitCode)
      const check = { name: 'command_execution', passed, message: messageOf(result, wanted) }
      return { result, check, metadata }
    }
    default:
      return status satisfies never
  }
}

function messageOf(result: CommandResult, { exitCode: expected, timeoutMs, cpuMs }: Wanted): string {
  const { status, exitCode, signal, exceeded } = result
  if (exceeded === 'cpuMs') return `used up its ${cpuMs} ms of processor time`
  if (status === 'timed-out') return `timed out after ${timeoutMs} ms`
  if (status === 'killed') return `killed by ${signal ?? 'a signal'}`
  if (isExpected(exitCode, expected)) return `exit code ${exitCode}`
  return `exit code ${exitCode}, expected ${expectedCodes(expected)}`
}

function neverStarted(
  { failure }: CommandResult,
  { command }: Wanted,
  metadata: JsonObject,
): ErrorJudgment | FailJudgment {
  const line = displayed(command)
  const reason = failure?.message ?? 'the workspace does not say why'
  const reasoning = `${line} could not be started: ${reason}`
  if (failure?.code === 'sandbox-unavailable')
    return error(
      reasoning,
      new JuristError('sandbox-unavailable', reason, { sandbox: 'the sandbox of the workspace', reason }),
      { metadata },
    )
  if (!isOfWorkspace(command) || troubles.test(reason))
    return error(reasoning, new JuristError('not-started', reason, { command: line }), { metadata })
  const checks = [{ name: 'command_execution', passed: false, message: reason }]
  return unjudgeable(reasoning, { code: 'not-started', checks, metadata })
}

/** What keeps a machine from starting any program at all. */
const troubles = /\b(?:EMFILE|ENFILE|EAGAIN|ENOMEM|ENOSPC|daemon)\b/i

/** Whether a program is a file of the workspace, which the agent left, and no tool of the machine. */
function isOfWorkspace(command: CommandLine): boolean {
  const program = typeof command === 'string' ? '' : (command[0] ?? '')
  return program.includes('/') && !program.startsWith('/')
}

/** The end of a text, with `…` before it when something was cut, and no torn character. */
function lastBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= limit) return text
  let start = bytes.length - limit
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1
  return `…${bytes.subarray(start).toString('utf8')}`
}
