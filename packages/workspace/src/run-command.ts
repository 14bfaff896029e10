import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { relative } from 'node:path'
import type { CommandResult, RunOptions } from '@jurist/core'
import { JuristError } from '@jurist/core'
import {
  abortSignal,
  checkOptions,
  failureOf,
  hasFields,
  isPlainObject,
  type OptionRule,
  option,
  optionInvalid,
  timeLeft,
} from '@jurist/core/internal'
import { markerName } from '@jurist/kit/processes'
import type { Semaphore } from '@jurist/kit/semaphore'
import { checkedPath, locate } from './containment.js'
import { commandEnvironment, type EnvironmentPolicy, secretsOfHost, withoutSecrets } from './environment.js'
import { abortedBeforeStart, notStarted, runProcess } from './process.js'
import { whyNotMetered } from './processor-time.js'
import { findExecutable, unavailable } from './sandbox/prerequisites.js'
import type { CommandLimits, Sandbox } from './sandbox/sandbox.js'

export interface CommandContext {
  readonly root: string
  readonly sandbox: Sandbox
  readonly environment: EnvironmentPolicy
  readonly limits: CommandLimits
  /** Limits how many commands run at the same time, including those in copies of the workspace. */
  readonly places: Semaphore
  /** Aborted by the disposal of the workspace. */
  readonly closed: AbortSignal
}

const limitRule = option.either(option.positive, { wants: 'null', holds: (value) => value === null })
const runRules: { readonly [name in keyof Required<RunOptions>]: OptionRule } = {
  timeoutMs: limitRule,
  cpuMs: limitRule,
  signal: abortSignal,
  cwd: option.string,
  env: {
    wants: 'an object of strings',
    holds: (value) => isPlainObject(value) && Object.entries(value).every(isVariable),
  },
  stdin: {
    wants: '"ignore" or { text: string }',
    holds: (value) => value === 'ignore' || hasFields(value, { text: option.string }),
  },
  maxOutputBytes: option.integer(0),
  killAfterMs: option.nonNegative,
}

function isVariable([name, value]: readonly [string, unknown]): boolean {
  return name !== '' && !/[=\0]/.test(name) && typeof value === 'string' && !value.includes('\0')
}

/** Runs a command of a workspace in its sandbox, once a place is free. */
export async function runCommand(
  context: CommandContext,
  command: string | readonly string[],
  options?: RunOptions,
): Promise<CommandResult> {
  const given = checkOptions('run', options, runRules)
  const [file, ...args] = wordsOf(command, context)
  const cwd = directoryOf(context.root, given.cwd ?? '.')
  const signals = given.signal === undefined ? [context.closed] : [given.signal, context.closed]
  const release = await context.places.acquire(...signals).catch(() => undefined)
  if (release === undefined) return unlessDisposed(context, abortedBeforeStart())
  try {
    return unlessDisposed(context, await launchAndRun(context, { file, args, cwd, options: given, signals }))
  } finally {
    release()
  }
}

function unlessDisposed({ closed }: CommandContext, result: CommandResult): CommandResult {
  if (!closed.aborted) return result
  throw new JuristError('aborted', 'The workspace was disposed of; its commands were ended.', { reason: 'disposed' })
}

interface Running {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly options: RunOptions
  readonly signals: readonly AbortSignal[]
}

async function launchAndRun(context: CommandContext, running: Running): Promise<CommandResult> {
  const { file, args, cwd, signals, options } = running
  const startedAt = performance.now()
  const marker = randomBytes(16).toString('hex')
  const env = { ...commandEnvironment(context.environment, options.env ?? {}), [markerName]: marker }
  const { root, limits, sandbox } = context
  const unmetered = typeof options.cpuMs === 'number' ? await whyNotMetered(sandbox.isolation) : undefined
  if (unmetered !== undefined) return notStarted(failureOf(unavailable(sandbox.name, unmetered)), startedAt)
  const launch = await sandbox.launch({ file, args, root, cwd, env, limits }).catch(failureOf)
  if (!('stop' in launch)) return notStarted({ ...launch, code: launch.code ?? 'not-started' }, startedAt)
  const { cpuMs = null, stdin = 'ignore', maxOutputBytes = 1_048_576 } = options
  const result = await runProcess(launch, { marker, ...timesOf(options), cpuMs, signals, stdin, maxOutputBytes })
  // Without isolation, a command can read the variables of this process, and its output is stored.
  return withoutSecrets(result, secretsOfHost(process.env, env))
}

/**
 * The share of the time until the signal fires that is reserved for ending the command and reporting it, and its limit
 * in milliseconds.
 */
const [keptShare, mostKeptMs] = [0.2, 10_000]

/** A command must end before its caller does: otherwise, a program that takes too long would leave no finding. */
export function timesOf({ timeoutMs = 120_000, killAfterMs = 2_000, signal }: RunOptions): {
  readonly timeoutMs: number | null
  readonly killAfterMs: number
} {
  const left = timeLeft(signal)
  if (left === undefined) return { timeoutMs, killAfterMs }
  const kept = Math.min(left * keptShare, mostKeptMs)
  return {
    timeoutMs: Math.max(1, Math.min(timeoutMs ?? Number.POSITIVE_INFINITY, left - kept)),
    killAfterMs: Math.min(killAfterMs, kept / 4),
  }
}

/** Returns an array unchanged, and a string as the arguments that pass it to a shell. */
function wordsOf(command: string | readonly string[], { sandbox }: CommandContext): readonly [string, ...string[]] {
  const words = typeof command === 'string' ? [command] : command
  const [file, ...args] = words
  if (file === undefined || file.trim() === '' || words.some((word) => typeof word !== 'string' || word.includes('\0')))
    optionInvalid('command', 'run: the command is blank or has a NUL character. Name a program.')
  if (typeof command !== 'string') return [file, ...args]
  // The available shells are only known inside the image.
  const choose = 'command -v bash >/dev/null 2>&1 && exec bash -c "$1"; exec sh -c "$1"'
  if (sandbox.isolation === 'container') return ['sh', '-c', choose, 'sh', command]
  return [findExecutable('bash', '/', process.env.PATH) === undefined ? 'sh' : 'bash', '-c', command]
}

function directoryOf(root: string, cwd: string): string {
  const { absolute, exists } = locate(root, checkedPath(cwd, 'entry'))
  if (!exists || !statSync(absolute).isDirectory())
    optionInvalid('cwd', `run: "cwd" must be a directory of the workspace (got ${cwd}).`)
  return relative(root, absolute) || '.'
}
