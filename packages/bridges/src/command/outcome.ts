import type { CommandResult, ExecutionStatus, Failure } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import type { RunOutcome } from '../context/outcome.js'
import { nameOf } from '../run/classify-error.js'
import { textWithoutSecrets } from '../run/secrets.js'
import { checkedReading, type Read, readOutput, withoutControlSequences } from './reading.js'

/** The beginning of a line with an error: `TypeError: …`, `java.io.IOException: …`, `error: …`, `fatal: …`, `panic: …`. */
const namesAnError =
  /^(?:Uncaught |Caused by: |Exception in thread "[^"]*" )?(?:[\w.$]*(?:Error|Exception)(?: \[\w+\])?|[Ee]rror|ERROR|[Ff]atal|FATAL|panic)\b.{0,3}:/

/** What runtimes print around an error: stack frames, their version, a caret. */
const noise = /^(?:at |Node\.js v\d|File "|\^|npm (?:ERR!|error) (?:A complete log|$)|During handling|\}|$)/

/**
 * The most useful line of an error output: the last one that names an error, else the last one that is not noise of a
 * runtime. An empty string if all lines are noise.
 */
function errorLine(output: string): string {
  const lines = output.split(/\r?\n/).map((line) => line.trim())
  const named = lines.findLast((line) => namesAnError.test(line.slice(0, 400)))
  return named ?? lines.findLast((line) => !noise.test(line)) ?? ''
}

/** The ending of a command. */
export interface CommandEnding {
  readonly result: CommandResult
  readonly program: string
  readonly read: Read
  readonly successCodes: readonly number[]
  readonly signal: AbortSignal
  /** Replaced before strings are shortened. */
  readonly secrets: readonly string[]
}

const shownError = 2_000
const scannedError = 65_536

/** The outcome of a command. The way it ended decides first, then its exit code, then its output. */
export function commandOutcome(ending: CommandEnding): RunOutcome {
  const { result } = ending
  const ended = endedBadly(ending)
  const reading = readingOf(ending)
  const cut = result.truncated ? ['output-truncated'] : []
  return {
    ...reading,
    status: ended?.status ?? reading.status,
    failure: ended?.failure ?? reading.failure,
    facts: { ...reading.facts, warnings: [...cut, ...(reading.facts.warnings ?? [])] },
    own: { exitCode: result.exitCode ?? undefined, ...reading.own },
  }
}

interface Ended {
  readonly status: ExecutionStatus
  readonly failure: Failure
}

/** The status and failure of a command that did not exit successfully. */
function endedBadly({ result, program, successCodes, signal, secrets }: CommandEnding): Ended | undefined {
  const { status, exitCode } = result
  switch (status) {
    case 'not-started':
      return { status: 'failed', failure: startFailure(program, result.failure) }
    case 'timed-out':
      return { status: 'timeout', failure: failure('agent-timeout', `${program} exceeded its time limit.`, false) }
    case 'aborted': {
      const isLate = nameOf(signal.reason) === 'TimeoutError'
      const reason = failureOf(signal.reason).message
      return {
        status: isLate ? 'timeout' : 'cancelled',
        failure: failure('aborted', `${program} was stopped: ${reason}`, false),
      }
    }
    case 'killed':
      return {
        status: 'failed',
        failure: failure(`killed-${result.signal}`, `${program} was killed by ${result.signal}.`, false),
      }
    case 'exited':
      if (exitCode !== null && successCodes.includes(exitCode)) return undefined
      return { status: 'failed', failure: failure(`exit-${exitCode}`, exitMessage(program, result, secrets), false) }
    default:
      return status satisfies never
  }
}

function exitMessage(program: string, { exitCode, stderr }: CommandResult, secrets: readonly string[]): string {
  const said = withoutControlSequences(textWithoutSecrets(stderr, secrets)).trim()
  if (said === '') return `${program} ended with exit code ${exitCode}.`
  const named = errorLine(said.slice(-scannedError)).slice(-shownError)
  const end = said.slice(-shownError)
  return `${program} ended with exit code ${exitCode}: ${named === '' || named === end ? end : `${named}\n${end}`}`
}

function startFailure(program: string, cause: Failure | undefined): Failure {
  const why = cause === undefined ? '' : ` (${cause.message})`
  return failure('agent-start', `${program} could not be started${why}. Install it, or pass its full path.`, true)
}

function failure(code: string, message: string, infrastructure: boolean): Failure {
  return Object.freeze({ name: 'JuristError', message, code, infrastructure })
}

/** Reads the output. Unreadable output is a failure of the agent, unless the command itself failed. */
function readingOf({ read, result, program }: CommandEnding): RunOutcome {
  try {
    return checkedReading(readOutput(read, result))
  } catch (thrown) {
    const message = `The output of ${program} could not be read: ${failureOf(thrown).message}.`
    return { status: 'failed', failure: failure('agent-protocol', message, false), facts: {} }
  }
}
