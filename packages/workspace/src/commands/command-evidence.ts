import {
  type Check,
  type CommandResult,
  error,
  type JsonObject,
  JuristError,
  unjudgeable,
  type Workspace,
} from '@jurist/core'
import {
  arrayOf,
  type ErrorJudgment,
  type FailJudgment,
  type OptionDescription,
  type OptionRule,
  option,
  optionInvalid,
} from '@jurist/core/internal'
import { withoutHostSecrets } from '../environment.js'
import type { LocalWorkspace } from '../local-workspace.js'
import { inside } from '../sandbox/sandbox.js'

/**
 * The directories of a workspace: the one on this machine, and the one that its commands see in an isolating sandbox.
 */
export function rootsOf({ root, sandbox }: Workspace & Partial<Pick<LocalWorkspace, 'sandbox'>>): readonly string[] {
  const isolates = sandbox !== undefined && sandbox.isolation !== 'none'
  return [...(isolates ? [inside] : []), ...(root === undefined ? [] : [root])]
}

/**
 * Returns a function that makes the paths of a workspace relative in the output of its commands: a judge's copy is gone
 * when a reader looks, and `src/orders.js:7` leads to the change while `/tmp/jurist-4kq7/src/orders.js:7` does not.
 */
export function withinWorkspace(workspace: Workspace): (text: string) => string {
  const roots = rootsOf(workspace).map((root) => root.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  if (roots.length === 0) return (text) => text
  const below = new RegExp(`(?<![\\w./-])(?:file:\\/\\/)?(?:${roots.join('|')})\\/(?=[^\\s/])`, 'g')
  return (text) => text.replace(below, '')
}

const keptBytes = { start: 2_048, end: 6_144 }

export interface CommandEvidence {
  readonly result: CommandResult
  readonly shown: CommandResult
  /** The check `command_execution`: whether the command ended as expected. */
  readonly check: Check
  /** The metadata that every judge of a command has. */
  readonly metadata: JsonObject
}

/** A command that was run, and its expected result. */
export interface Wanted {
  readonly workspace: Workspace
  readonly command: CommandLine
  readonly exitCode: ExitCodes
  /** In milliseconds. */
  readonly timeoutMs: number
  /** Processor time, in milliseconds. */
  readonly cpuMs?: number | undefined
}

/**
 * Returns the evidence of a command that ran, or the judgment on one that could not be started: FAIL for a program of
 * the workspace, otherwise ERROR.
 *
 * @throws the reason of the signal when the signal stopped the command
 */
export function evidenceOf(
  result: CommandResult,
  wanted: Wanted,
  signal: AbortSignal,
): CommandEvidence | ErrorJudgment | FailJudgment {
  const { status, exitCode, signal: killedBy, truncated, elapsedMs } = result
  const relative = withinWorkspace(wanted.workspace)
  const shown = { ...result, stdout: relative(result.stdout), stderr: relative(result.stderr) }
  const metadata: JsonObject = {
    command: withoutHostSecrets(displayed(wanted.command)),
    status,
    exitCode,
    ...(killedBy ? { signal: killedBy } : {}),
    expectedExitCode: wanted.exitCode,
    output: bothEnds(`${shown.stdout}${shown.stderr}`),
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
      return { result, shown, check, metadata }
    }
    default:
      return status satisfies never
  }
}

function messageOf(result: CommandResult, { exitCode: expected, timeoutMs, cpuMs }: Wanted): string {
  const { status, exitCode, signal, exceeded, elapsedMs } = result
  if (status === 'timed-out' && exceeded === 'timeoutMs' && elapsedMs < timeoutMs)
    return `timed out after ${Math.round(elapsedMs)} ms, since no more was left for judging`
  if (exceeded === 'cpuMs') return `used up its ${cpuMs} ms of processor time`
  if (status === 'timed-out') return `timed out after ${timeoutMs} ms`
  if (status === 'killed') return `killed by ${signal ?? 'a signal'}`
  if (isExpected(exitCode, expected)) return `exit code ${exitCode}`
  return `exit code ${exitCode}, expected ${typeof expected === 'number' ? String(expected) : expected.join(' or ')}`
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

/** Errors that keep a machine from starting any program at all. */
const troubles = /\b(?:EMFILE|ENFILE|EAGAIN|ENOMEM|ENOSPC|daemon)\b/i

/** Whether a program is a file of the workspace, which the agent left, rather than a tool of the machine. */
function isOfWorkspace(command: CommandLine): boolean {
  const program = typeof command === 'string' ? '' : (command[0] ?? '')
  return program.includes('/') && !program.startsWith('/')
}

/** Returns the beginning and the end of a string and the size of the gap, without splitting a character. */
function bothEnds(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= keptBytes.start + keptBytes.end) return text
  let [start, end] = [keptBytes.start, bytes.length - keptBytes.end]
  while (isContinuation(bytes[start])) start -= 1
  while (isContinuation(bytes[end])) end += 1
  const [head, tail] = [bytes.subarray(0, start), bytes.subarray(end)].map((part) => part.toString('utf8'))
  return `${head}\n… ${end - start} bytes omitted …\n${tail}`
}

const isContinuation = (byte: number | undefined) => ((byte ?? 0) & 0xc0) === 0x80

/** The exit code or codes that count as success. */
export type ExitCodes = number | readonly number[]

/** The rule of such an option, for `checkOptions`. */
export const exitCodeRule: OptionRule = {
  ...option.either(option.integer(0), arrayOf('an array of exit codes', option.integer(0), 1)),
  wants: 'an exit code or an array of exit codes',
}

export function isExpected(code: number | null, expected: ExitCodes): boolean {
  return code !== null && (typeof expected === 'number' ? code === expected : expected.includes(code))
}

/** A shell line (a string), or a program with its arguments (an array). */
export type CommandLine = string | readonly string[]

/** Formats a command as a reader would type it. Arrays are quoted for a shell, although they never go through one. */
export function displayed(command: CommandLine): string {
  return typeof command === 'string' ? command : command.map(shellQuoted).join(' ')
}

function shellQuoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/**
 * Returns the command as a frozen copy, checked when the judge is created.
 *
 * @throws `option-invalid` when it is blank, has a NUL character, or is neither a string nor an array of strings
 */
export function checkedCommand(where: string, command: CommandLine): CommandLine {
  const words: readonly unknown[] = Array.isArray(command) ? command : [command]
  const isText = (word: unknown) => typeof word === 'string' && !word.includes('\0')
  const [program] = words
  if (typeof program === 'string' && program.trim() !== '' && words.every(isText))
    return typeof command === 'string' ? command : Object.freeze([...command])
  optionInvalid(
    'command',
    `${where}: the command must be a shell line, or an array of a program and its arguments, not blank and without NUL.`,
  )
}

export const commandOption: OptionDescription = {
  wants: 'a command',
  holds: (value) => typeof value === 'string' || option.strings.holds(value),
  schema: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }] },
  description: 'A shell line, or a program and its arguments, which never go through a shell.',
}

/** An argument for a tool, or its options: last, at most once. */
export type WordOrOptions<Options> = string | Options

/** Separates the arguments and the options of a call such as `buildSucceeds.maven('verify', { timeoutMs: 60_000 })`. */
export function splitArguments<Options extends object>(
  where: string,
  given: readonly WordOrOptions<Options>[],
): { readonly words: readonly string[]; readonly options: Options | undefined } {
  const last = given.at(-1)
  const options = typeof last === 'object' ? last : undefined
  const words = options === undefined ? given : given.slice(0, -1)
  if (words.every(isWord)) return { words: Object.freeze([...words]), options }
  optionInvalid('arguments', `${where}: pass strings that are not blank and have no NUL; options come last, once.`)
}

function isWord(word: unknown): word is string {
  return typeof word === 'string' && word.trim() !== '' && !word.includes('\0')
}
