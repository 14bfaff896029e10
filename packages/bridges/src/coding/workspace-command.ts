import type { CommandResult, Failure } from '@jurist/core'
import { parseObject } from '@jurist/kit/json'
import type { RunOutcome } from '../context/outcome.js'
import { textWithoutSecrets } from '../run/secrets.js'
import type { CodingCall } from './coding-run.js'
import type { Variables } from './environment.js'
import { endFailure, lastLine, protocolFailure, startFailure } from './failures.js'

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
const maxShown = 2_000

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

/** `undefined` if the command exited normally. */
function badEnding(
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
  return endFailure(`exit-${exitCode}`, `it exited with code ${exitCode}. ${stderr.trim().slice(-maxShown)}`.trimEnd())
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
  const bad = badEnding({ ...result, stderr }, command.words[0] ?? 'the agent', [0])
  const isExit = result.status === 'exited'
  return { messages, ending: bad === undefined || isExit ? { status: 'failed', failure } : bad }
}

function noise({ prefix, write, warnings, secrets }: CodingCall, line: string): void {
  if (!warnings.includes('output-not-json')) warnings.push('output-not-json')
  write({ type: 'custom', name: `${prefix}.noise`, data: textWithoutSecrets(line, secrets).slice(0, maxNoise) })
}
