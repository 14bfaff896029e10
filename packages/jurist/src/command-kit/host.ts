import { JuristError, type Problems } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import type { CommandHost, ExitCode, GlobalFlags } from '@jurist/experiment/plugin'
import { calledAs, commandLine } from '@jurist/kit/command-line'
import { safeBlock } from '@jurist/kit/terminal'
import { findConfig, type LoadedConfig, loadConfig, noConfig } from '../config/load-config.js'
import { type Terminal, terminalOf } from '../terminal/terminal.js'

/** The environment of a subcommand. */
export interface Host extends Pick<CommandHost, 'flags' | 'cwd' | 'json' | 'note'> {
  readonly terminal: Terminal
  /** Returns the config; throws `usage-invalid` if there is no config. */
  readonly config: () => Promise<LoadedConfig>
  /** Returns the config; `undefined` if there is no config. */
  readonly configIfAny: () => Promise<LoadedConfig | undefined>
}

/** Creates the host of a command in this process. The config is searched and loaded once, on first use. */
export function hostOf(flags: GlobalFlags, cwd: string): Host {
  const { stdout, stderr, env } = process
  const terminal = terminalOf({ stdout, stderr, env, color: flags.color })
  const note = (line: string) => {
    if (flags.quiet !== true) terminal.err(`${line}\n`)
  }
  const load = async () => {
    const file = await findConfig(cwd, flags.config)
    const config = file === undefined ? undefined : await loadConfig(file)
    for (const notice of config?.notices ?? []) note(`notice: ${notice}`)
    return config
  }
  let loaded: Promise<LoadedConfig | undefined> | undefined
  const configIfAny = () => {
    loaded ??= load()
    return loaded
  }
  return {
    flags,
    terminal,
    cwd,
    configIfAny,
    async config() {
      const config = await configIfAny()
      if (config === undefined) throw noConfig()
      return config
    },
    json: (value) => terminal.raw(`${JSON.stringify(value, null, 2)}\n`),
    note,
  }
}

/** Returns a host for other results than those of the command line. Proposed command lines name these results. */
export function resultsNamed(host: Host, results: string): Host {
  const command: Terminal['command'] = (...words) => commandLine('--results', results, ...words)
  return { ...host, flags: { ...host.flags, results }, terminal: { ...host.terminal, command } }
}

const reasons: { readonly [code in Exclude<ExitCode, 0>]: string } = {
  1: 'the evaluation missed its goal',
  2: 'wrong usage, config or dataset',
  3: 'the tool failed',
  130: 'interrupted',
}

/** Formats the last line of a failing command: the reason and the exit code. */
export function closingLine(code: Exclude<ExitCode, 0>, reason: string = reasons[code]): string {
  return `jurist: ${reason} (exit code ${code})\n`
}

/** Prints the result of a command: with `--json` its document, otherwise its text. */
export function answer({ flags, json, terminal }: Host, document: unknown, text: string): void {
  if (flags.json === true) json(document)
  else terminal.out(text)
}

/** Returns the exit code of a command. Prints the line that closes a failing one. */
export function ended({ terminal }: Host, code: ExitCode, reason?: string): ExitCode {
  if (code !== 0) terminal.err(closingLine(code, reason))
  return code
}

/** Prints the reason for a failure to stderr, and with `--json` also as the only document on stdout. */
export function reportFailure(
  thrown: unknown,
  { json, debug }: GlobalFlags,
  terminal: Terminal,
  code: ExitCode = exitCodeOf(thrown),
): void {
  const { message } = failureOf(thrown)
  if (json === true) terminal.raw(`${JSON.stringify({ error: documentOf(thrown, message) }, null, 2)}\n`)
  const stack = debug === true && thrown instanceof Error ? `\n${thrown.stack}` : ''
  const unexpected = JuristError.is(thrown) ? '' : 'Unexpected error: '
  const hint = JuristError.is(thrown) || debug === true ? '' : '\nRun it again with --debug to see where.'
  terminal.err(`${terminal.style.red(safeBlock(`${unexpected}${message}`))}${hint}${safeBlock(stack)}\n`)
  if (code !== 0) terminal.err(closingLine(code))
}

function documentOf(thrown: unknown, message: string) {
  if (!JuristError.is(thrown)) return { code: 'internal', message, place: [], remedy: null, details: {} }
  const { code, details } = thrown
  return { code, message, place: placesOf(thrown), remedy: remedyOf(thrown, message), details }
}

/** Details that say where the problem is, the most exact one first. */
const placeKeys = ['argument', 'path', 'file', 'option', 'id', 'name', 'command'] as const

/** Returns where the problems are: the place of each issue in its file, otherwise the flag, path or name of the error. */
function placesOf(thrown: JuristError): readonly string[] {
  const details: { readonly [key: string]: unknown } = { ...thrown.details }
  const places = issuesOf(thrown).flatMap(({ file = details['file'], path, field }) => {
    const parts = [file, path ?? field].filter((part) => typeof part === 'string' && part !== '')
    return parts.length === 0 ? [] : [parts.join(': ')]
  })
  if (places.length > 0) return [...new Set(places)]
  const found = placeKeys.map((key) => details[key]).find((value) => typeof value === 'string')
  return typeof found === 'string' ? [found] : []
}

/**
 * Returns one remedy per line: those of all issues, otherwise the text after the first sentence of each line of the
 * message.
 */
function remedyOf(thrown: JuristError, message: string): string | null {
  const remedies = issuesOf(thrown).map(({ remedy }) => remedy)
  const lines = remedies.length > 0 ? remedies : message.split('\n').map(afterFirstSentence)
  const remedy = [...new Set(lines)].filter((line) => line !== '').join('\n')
  if (remedy !== '') return remedy
  return exitCodeOf(thrown) === 2 ? `See what the command accepts: ${calledAs()} <command> --help` : null
}

/** A problem of a config has a path, one of a dataset a file and a field. */
interface Issue {
  readonly file?: unknown
  readonly path?: unknown
  readonly field?: unknown
  readonly remedy: string
}

function issuesOf({ details }: JuristError): readonly Issue[] {
  const { issues } = details as { readonly issues?: unknown }
  if (!Array.isArray(issues)) return []
  return issues.filter((issue: unknown): issue is Issue => {
    return typeof issue === 'object' && issue !== null && 'remedy' in issue && typeof issue.remedy === 'string'
  })
}

/** Messages begin with the problem; the rest is the remedy. */
function afterFirstSentence(line: string): string {
  const end = /[.?!]\s+(?=\S)/.exec(line) ?? /:\s+(?=\S)/.exec(line)
  return end === null ? '' : line.slice(end.index + end[0].length)
}

/** Codes for failures of the tool or the disk. Every other code is a usage error. */
const broken: ReadonlySet<keyof Problems> = new Set<keyof Problems>([
  'store-failed',
  'statistic-invalid',
  'verdict-invalid',
  'arm-not-loaded',
  'loading-unproven',
  'budget-short',
  'ratchet-refused',
])

/** Returns the exit code for an exception. */
export function exitCodeOf(thrown: unknown): ExitCode {
  if (!JuristError.is(thrown)) return 3
  if (JuristError.is(thrown, 'aborted')) return 130
  if (JuristError.is(thrown, 'merge-incomplete')) return 1
  return broken.has(thrown.code) ? 3 : 2
}

/** Reserves standard output for a program that reads it: output of configs and judges goes to stderr instead. */
interface OwnStdout extends Disposable {
  readonly write: (text: string) => void
}

/** Reserves standard output for this command until the result is disposed of. */
export function ownStdout(): OwnStdout {
  const { stdout, stderr } = process
  const write = stdout.write
  stdout.write = stderr.write.bind(stderr)
  return {
    write: (text) => void write.call(stdout, text),
    [Symbol.dispose]() {
      stdout.write = write
    },
  }
}

/** A signal that Ctrl-C fires. Disposing stops listening. */
interface Interrupt extends Disposable {
  readonly signal: AbortSignal
}

/**
 * A parent program such as npx forwards Ctrl-C although the terminal already sent it to both, so one press causes two
 * signals.
 */
const onePressMs = 500
/** Printed where trials run. */
export const stopping = 'Stopping: running trials are being cancelled (press again to exit immediately).'

/**
 * Listens to Ctrl-C and SIGTERM: the first one fires the signal, the second one exits immediately with code 130.
 *
 * @param onSecond returns the text to print before the exit
 */
export function interruptible(
  { terminal }: Host,
  onFirst: () => string = () => stopping,
  onSecond: () => string = () => '',
): Interrupt {
  const controller = new AbortController()
  const listener = onSignals(() => {
    if (controller.signal.aborted) {
      terminal.err(`${onSecond()}${closingLine(130)}`)
      process.exit(130)
    }
    terminal.err(`\n${onFirst()}\n`)
    controller.abort(new Error('interrupted'))
  })
  return { signal: controller.signal, [Symbol.dispose]: () => listener[Symbol.dispose]() }
}

/** Listens to Ctrl-C and SIGTERM. The two signals of one press count once. */
function onSignals(listen: (signal: NodeJS.Signals) => void): Disposable {
  const last: { [signal in NodeJS.Signals]?: number } = {}
  const heard = (signal: NodeJS.Signals) => {
    const now = performance.now()
    const isSamePress = now - (last[signal] ?? Number.NEGATIVE_INFINITY) < onePressMs
    last[signal] = now
    if (!isSamePress) listen(signal)
  }
  process.on('SIGINT', heard)
  process.on('SIGTERM', heard)
  return {
    [Symbol.dispose]() {
      process.off('SIGINT', heard)
      process.off('SIGTERM', heard)
    },
  }
}

/**
 * Handles an early end of the process: an uncaught exception, such as one that an agent throws from a timer, a call of
 * `process.exit`, or a promise that never settles. Prints it together with `aftermath` and exits with code 3, so that
 * no gate takes it for success. The most recent handler wins.
 */
export function strayErrors(flags: GlobalFlags, terminal: Terminal, aftermath: () => string = () => ''): Disposable {
  const leave = (thrown: unknown) => {
    reportFailure(withAftermath(thrown, 'Nothing caught this error.', aftermath()), flags, terminal)
    process.exit(3)
  }
  const exit = () => {
    const { exitCode } = process
    // Only these codes are early exits of the command itself. The previous handler also sets 3, below.
    if (exitCode === 3 || exitCode === 130) return
    reportFailure(withAftermath(new Error(earlyExit(exitCode)), aftermath()), flags, terminal, 3)
    process.exitCode = 3
  }
  process.prependListener('uncaughtException', leave)
  process.prependListener('unhandledRejection', leave)
  process.prependListener('exit', exit)
  return {
    [Symbol.dispose]() {
      process.off('uncaughtException', leave)
      process.off('unhandledRejection', leave)
      process.off('exit', exit)
    },
  }
}

/** The exit code for a module with an unsettled `await` from Node 22 on; `undefined` before. */
const unsettledAwait = 13

function earlyExit(exitCode: typeof process.exitCode): string {
  const waits = exitCode === undefined || exitCode === unsettledAwait ? ', or waits for what never comes' : ''
  return `The process ended before the command: an agent, a judge or the config called process.exit(${exitCode ?? ''})${waits}.`
}

/** Adds `aftermath` to an error. The result is never a usage error, since it did not come from the command line. */
function withAftermath(thrown: unknown, ...aftermath: readonly string[]): Error {
  const { message } = failureOf(thrown)
  const sentence = /[.?!]$/.test(message) ? message : `${message}.`
  const error = new Error([sentence, ...aftermath].filter(Boolean).join(' '))
  if (thrown instanceof Error && thrown.stack !== undefined) error.stack = thrown.stack
  return error
}

/** The signals that stop a worker. */
interface WorkerSignals extends Disposable {
  /** Fires at the first Ctrl-C: running trials are finished. */
  readonly finish: AbortSignal
  /** Fires at the second Ctrl-C and at SIGTERM: running trials are returned to the queue. */
  readonly giveBack: AbortSignal
}

/** Listens to Ctrl-C and SIGTERM. After `giveBack`, the next one exits immediately. */
export function workerSignals({ terminal }: Host): WorkerSignals {
  const finish = new AbortController()
  const giveBack = new AbortController()
  const listener = onSignals((signal) => {
    if (giveBack.signal.aborted) {
      terminal.err(closingLine(130))
      process.exit(130)
    }
    if (signal === 'SIGTERM' || finish.signal.aborted) {
      terminal.err('\nGiving the trials back (press again to exit immediately).\n')
      giveBack.abort()
    } else {
      terminal.err('\nFinishing the trials that run (press again to give them back).\n')
      finish.abort()
    }
  })
  return {
    finish: finish.signal,
    giveBack: giveBack.signal,
    [Symbol.dispose]: () => listener[Symbol.dispose](),
  }
}
