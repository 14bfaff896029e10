import type { CommandResult, Failure } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { parseObject } from '@jurist/kit/json'
import type { RunOutcome } from '../context/outcome.js'
import { nameOf } from '../run/classify-error.js'
import { textWithoutSecrets } from '../run/secrets.js'
import type { CodingCall } from './coding-run.js'
import type { Variables } from './environment.js'
import { lastLine, protocolFailure, startFailure } from './failures.js'

/** Where the commands of a workspace run, from their own point of view. */
export interface CommandPlace {
  /** The workspace's directory, which has another path inside a sandbox. Absent: unknown. */
  readonly root: string | undefined
  /** Whether commands can write to the given directory of this machine. */
  readonly isHere: boolean
}

const askedMs = 60_000
const question = 'pwd -P; if [ -n "$1" ] && [ -w "$1" ]; then echo here; fi'

/**
 * Runs a command to find out where commands run. If it fails, the workspace's own root is assumed, and no other
 * directory.
 *
 * @param directory a directory of this machine, which a sandbox may lack
 */
export async function commandPlace({ task }: CodingCall, directory = ''): Promise<CommandPlace> {
  const { workspace, signal } = task
  const asked = ['sh', '-c', question, 'sh', directory]
  const { status, exitCode, stdout } = await workspace.run(asked, { signal, timeoutMs: askedMs })
  const [, root, here] = /^(\/.*)\n(here\n)?$/.exec(stdout) ?? []
  if (status !== 'exited' || exitCode !== 0 || root === undefined) return { root: workspace.root, isHere: false }
  return { root, isHere: here !== undefined }
}

/** The home directory, if commands see it and the caller set no other. */
export function settingsIn(
  { home, environment }: CodingCall,
  { isHere }: CommandPlace,
  name: string,
): { readonly [name: string]: string } {
  return home === undefined || !isHere || name in environment ? {} : { [name]: home }
}

const dayMs = 86_400_000

export interface WorkspaceCommand {
  readonly words: readonly string[]
  readonly stdin?: string | undefined
  readonly variables?: Variables | undefined
  /** The maximum size of each output stream in bytes; of a longer one, the end is kept. */
  readonly maxOutputBytes: number
  readonly onLine?: (line: string) => void
}

/** On this machine or in the sandbox of the workspace. */
export function runInWorkspace(call: CodingCall, command: WorkspaceCommand): Promise<CommandResult> {
  const { task, environment, graceMs } = call
  return task.workspace.run(command.words, {
    signal: task.signal,
    timeoutMs: task.timeoutMs ?? dayMs,
    env: { ...environment, ...command.variables },
    stdin: command.stdin === undefined ? 'ignore' : { text: command.stdin },
    maxOutputBytes: command.maxOutputBytes,
    killAfterMs: graceMs,
    ...(command.onLine === undefined ? {} : { onLine: command.onLine }),
  })
}

export interface EndedCommand {
  readonly result: CommandResult
  readonly program: string
  readonly successCodes: readonly number[]
  readonly signal: AbortSignal
  readonly secrets: readonly string[]
}

/** `undefined` when it ended by itself, with an exit code of success. */
export function badEnding(ended: EndedCommand): Pick<RunOutcome, 'status' | 'failure'> | undefined {
  const { result, program, successCodes, signal } = ended
  const { status, exitCode } = result
  const failed = (code: string, message: string) => ({ status: 'failed', failure: failureWith(code, message) }) as const
  switch (status) {
    case 'not-started':
      return { status: 'failed', failure: startFailure(program, result.failure?.message ?? 'no reason was given') }
    case 'timed-out':
      return { status: 'timeout', failure: failureWith('agent-timeout', `${program} exceeded its time limit.`) }
    case 'aborted': {
      const message = `${program} was stopped: ${failureOf(signal.reason).message}`
      const isLate = nameOf(signal.reason) === 'TimeoutError'
      return { status: isLate ? 'timeout' : 'cancelled', failure: failureWith('aborted', message) }
    }
    case 'killed':
      return failed(
        `killed-${result.signal}`,
        `${program} was killed by ${result.signal}. ${lastWords(ended)}`.trimEnd(),
      )
    case 'exited':
      if (exitCode !== null && successCodes.includes(exitCode)) return undefined
      return failed(`exit-${exitCode}`, exitMessage(ended))
    default:
      return status satisfies never
  }
}

function failureWith(code: string, message: string): Failure {
  return Object.freeze({ name: 'JuristError', message, code, infrastructure: false })
}

const shownError = 2_000
const scannedError = 65_536

function lastWords({ result, secrets }: EndedCommand): string {
  return lastLine(textWithoutSecrets(result.stderr, secrets))
}

function exitMessage({ program, result: { exitCode, stderr }, secrets }: EndedCommand): string {
  const said = withoutControlSequences(textWithoutSecrets(stderr, secrets)).trim()
  if (said === '') return `${program} ended with exit code ${exitCode}.`
  const named = errorLine(said.slice(-scannedError)).slice(-shownError)
  const end = said.slice(-shownError)
  return `${program} ended with exit code ${exitCode}: ${named === '' || named === end ? end : `${named}\n${end}`}`
}

/** Such as `TypeError: …`, `java.io.IOException: …`, `error: …`, `fatal: …`, `panic: …`. */
const namesAnError =
  /^(?:Uncaught |Caused by: |Exception in thread "[^"]*" )?(?:[\w.$]*(?:Error|Exception)(?: \[\w+\])?|[Ee]rror|ERROR|[Ff]atal|FATAL|panic)\b.{0,3}:/

/** Lines of a runtime around an error: stack frames, its version, a caret. */
const unimportant = /^(?:at |Node\.js v\d|File "|\^|npm (?:ERR!|error) (?:A complete log|$)|During handling|\}|$)/

/**
 * The last line that names an error, or else the last one that is not noise of a runtime. An empty string if all lines
 * are noise.
 */
function errorLine(output: string): string {
  const lines = output.split(/\r?\n/).map((line) => line.trim())
  const named = lines.findLast((line) => namesAnError.test(line.slice(0, 400)))
  return named ?? lines.findLast((line) => !unimportant.test(line)) ?? ''
}

const escapeCharacter = String.fromCharCode(0x1b)
const sequences = new RegExp(
  `${escapeCharacter}(?:\\[[0-?]*[ -/]*[@-~]|\\][^\\u0007${escapeCharacter}]*(?:\\u0007|${escapeCharacter}\\\\)|[@-Z\\\\-_])`,
  'g',
)

/** Removes colours, cursor movements and titles. */
export function withoutControlSequences(text: string): string {
  return text.replaceAll(sequences, '')
}

interface OutputRecord {
  readonly [key: string]: unknown
}

export interface LinesRead {
  readonly messages: readonly OutputRecord[]
  /** For messages that do not include the ending of the run. */
  readonly ending: Pick<RunOutcome, 'status' | 'failure'>
}

const maxOutputBytes = 67_108_864
const maxNoise = 200

/**
 * Lines that are not JSON go to the journal.
 *
 * @param record called with each message, while the command runs if the workspace sees its output
 */
export async function runLines(
  call: CodingCall,
  command: Omit<WorkspaceCommand, 'maxOutputBytes' | 'onLine'>,
  record: (message: OutputRecord) => void,
): Promise<LinesRead> {
  let told = 0
  const onLine = (line: string) => {
    told += 1
    if (line.trim() === '') return
    const message = parseObject(line)
    if (message === undefined) noise(call, line)
    else record(message)
  }
  const result = await runInWorkspace(call, { ...command, maxOutputBytes, onLine })
  const { stdout, truncated } = result
  const stderr = textWithoutSecrets(result.stderr, call.secrets)
  const lines = stdout.split('\n')
  if (truncated) call.warnings.push('transcript-truncated')
  else for (const line of lines.slice(told)) onLine(line)
  const messages = lines.map(parseObject).filter((message) => message !== undefined)
  if (stderr.trim() !== '') call.write({ type: 'custom', name: `${call.prefix}.stderr`, data: stderr })
  const failure = protocolFailure('it ended without a result', lastLine(stderr))
  const program = command.words[0] ?? 'the agent'
  const bad = badEnding({ result, program, successCodes: [0], signal: call.task.signal, secrets: call.secrets })
  const isExit = result.status === 'exited'
  return { messages, ending: bad === undefined || isExit ? { status: 'failed', failure } : bad }
}

function noise({ prefix, write, warnings, secrets }: CodingCall, line: string): void {
  if (!warnings.includes('output-not-json')) warnings.push('output-not-json')
  write({ type: 'custom', name: `${prefix}.noise`, data: textWithoutSecrets(line, secrets).slice(0, maxNoise) })
}
