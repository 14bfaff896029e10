import { resolve } from 'node:path'
import { JuristError } from '@jurist/core'
import {
  type ExitCode,
  existingDirectory,
  type GlobalFlags,
  type Plugin,
  usageInvalid,
} from '@jurist/experiment/plugin'
import { calledAs } from '@jurist/kit/command-line'
import { didYouMean } from '@jurist/kit/did-you-mean'
import { Command, CommanderError } from 'commander'
import { exitCodeOf, type Host, hostOf, reportFailure, strayErrors } from '../command-kit/host.js'
import { define } from '../command-kit/subcommand.js'
import { findConfig, pluginsIn, requireEnvFile } from '../config/load-config.js'
import type { ConfigIssue } from '../config/problems.js'
import { terminalOf } from '../terminal/terminal.js'
import { addedNames, commandNamed, commandNames, commandWithAction } from './catalog.js'

const exitCodes = `
Exit codes:
  0    everything ran, and the result reaches its thresholds
  1    the evaluation missed its goal: a missed threshold, nothing decided, a verdict other than pass,
       problems that validate found
  2    wrong usage, config or dataset; nothing was run
  3    the tool failed
  130  interrupted; finished trials are stored`

/** Runs the command line `argv` and exits the process with its exit code, after all output has been flushed. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  const strays = strayErrors(globalsIn(argv).flags, terminalOf(process))
  const lost = outputErrors()
  const code = await exitCodeFor(argv)
  await Promise.all([drained(process.stdout), drained(process.stderr)])
  strays[Symbol.dispose]()
  // Open handles of the user's agents must not keep a finished command alive.
  process.exit(lost() && code === 0 ? 3 : code)
}

/**
 * Keeps errors of stdout and stderr from ending the process: a reader may stop early, as `head` does, while the run
 * continues. Returns whether output was lost for another reason, such as a full disk; stderr then contains the reason.
 */
function outputErrors(): () => boolean {
  let lost = false
  process.stderr.on('error', () => undefined)
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || lost) return
    lost = true
    process.stderr.write(`Could not write to stdout: ${error.message}. Write to a file with -o, or free some space.\n`)
  })
  return () => lost
}

async function exitCodeFor(argv: readonly string[]): Promise<ExitCode> {
  let { flags } = globalsIn(argv)
  let asCalled = (code: ExitCode) => code
  try {
    let code: ExitCode = 0
    const { program, exitCode } = await programFor(argv, async (run, given) => {
      flags = given
      // A missing directory must not select the config of a parent directory.
      const cwd = await existingDirectory(flags.cwd ?? '.', '--cwd', process.cwd())
      if (flags.envFile !== undefined) await requireEnvFile(resolve(cwd, flags.envFile))
      code = await run(hostOf(flags, cwd))
    })
    asCalled = exitCode
    if (argv.length === 0) program.help()
    await program.parseAsync([...argv], { from: 'user' })
    return code
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0
    const error = thrown instanceof CommanderError ? wrongUsage(thrown, await calledPath(argv)) : thrown
    const code = asCalled(exitCodeOf(error))
    reportFailure(error, flags, terminalOf({ ...process, color: flags.color }), code)
    return code
  }
}

interface Globals {
  /** The words before the first flag that is not global. */
  readonly words: readonly string[]
  readonly flags: GlobalFlags
}

/** Reads the global flags of a command line before its subcommand, and so its other flags, are known. */
function globalsIn(argv: readonly string[]): Globals {
  const program = withGlobalFlags(new Command())
  try {
    return { words: program.parseOptions([...argv]).operands, flags: program.opts() }
  } catch {
    // The last flag lacks its value, which is reported when the whole line is read.
    return globalsIn(argv.slice(0, -1))
  }
}

type Perform = (run: (host: Host) => Promise<ExitCode>, flags: GlobalFlags) => Promise<void>

interface Made {
  readonly program: Command
  /** Converts an exit code for the subcommand. */
  readonly exitCode: (code: ExitCode) => ExitCode
}

/** Creates the program with all subcommands by name, and with the flags of the one that `argv` calls. */
export async function programFor(argv: readonly string[], perform: Perform): Promise<Made> {
  let exitCode = (given: ExitCode) => given
  const [called, word] = calledWords(argv)
  const isHelp = called === undefined || called === 'help'
  // Only the help and unknown names need the plug-ins of the config.
  const plugins = isHelp || !commandNames.includes(called) ? await pluginsFor(argv, isHelp) : []
  const known = [...commandNames, ...addedNames(plugins)]
  if (!isHelp) refuseUnknown(called, known)
  const program = withGlobalFlags(new Command('jurist'))
  // The help lists all subcommands, but a call needs only its own.
  for (const name of isHelp ? known : [called]) {
    const found = (await commandNamed(name, plugins)) ?? { summary: '' }
    const command = quiet(program.command(name).description(found.summary))
    if (name === called)
      exitCode = (await define(command, found, word, (run) => perform(run, program.opts()))) ?? exitCode
  }
  return { program, exitCode }
}

export function withGlobalFlags(program: Command): Command {
  return quiet(program)
    .description('Unit tests for AI agents.')
    .option('-C, --cwd <dir>', 'run in this directory')
    .option('-c, --config <file>', 'config file (default: the nearest one, searched upwards)')
    .option('--results <dir>', 'results directory or postgres://… (default: JURIST_RESULTS, the config, "results")')
    .option('--env-file <file>', 'read NAME=value lines first; existing variables take precedence')
    .option('--json', 'one JSON document on stdout')
    .option('--quiet', 'hide progress')
    .option('--debug', 'print stack traces of errors')
    .option('--color', 'always use colour')
    .option('--no-color', 'never use colour')
    .option('--version', 'print the version')
    .helpCommand('help [command]', 'show the help of a command')
    .addHelpText('after', exitCodes)
}

/** Commander prints no errors, since `reportFailure` does. */
function quiet(command: Command): Command {
  return command
    .exitOverride()
    .configureOutput({ writeErr: () => undefined, outputError: () => undefined })
    .showSuggestionAfterError(true)
    .configureHelp({
      showGlobalOptions: true,
      styleTitle: (title) => (title === 'Global Options:' ? 'Global options:' : title),
    })
}

/**
 * Returns the subcommand that is called, also as `jurist help <name>`, and the word right after it. A word after a flag
 * of the subcommand is left out, since it may be the value of the flag.
 */
export function calledWords(argv: readonly string[]): readonly [name?: string, word?: string] {
  const [first, second] = globalsIn(argv).words
  return first === 'help' ? [second] : [first, second]
}

/** The words of the called subcommand or action, such as `vet probe`. */
async function calledPath(argv: readonly string[]): Promise<string | undefined> {
  const [name, word = ''] = calledWords(argv)
  const actions = name === undefined ? undefined : (await commandNamed(name))?.actions
  return Object.hasOwn(actions ?? {}, word) ? `${name} ${word}` : name
}

/** Loads the plug-ins of the config that a command line uses. A config that cannot be read has none. */
async function pluginsFor(argv: readonly string[], isHelp: boolean): Promise<readonly Plugin[]> {
  const { cwd = '.', config } = globalsIn(argv).flags
  const file = await findConfig(resolve(cwd), config).catch(() => undefined)
  if (file === undefined) return []
  return pluginsIn(file).catch((thrown) => {
    const isOfPlugin = JuristError.is(thrown, 'config-invalid') && thrown.details.issues.some(isPlugin)
    if (isOfPlugin && !isHelp) throw thrown
    return []
  })
}

function isPlugin({ path }: ConfigIssue): boolean {
  return path.startsWith('plugins')
}

function refuseUnknown(name: string, known: readonly string[]): void {
  if (known.includes(name)) return
  const parent = commandWithAction(name)
  const nearest = parent === undefined ? didYouMean(name, known) : ` Did you mean "${parent} ${name}"?`
  throw usageInvalid(name, `Unknown command "${name}".${nearest} All commands: ${calledAs()} --help`)
}

function wrongUsage({ message, code }: CommanderError, called = '<command>'): Error {
  if (code === 'commander.help')
    return usageInvalid('command', `Name a command. All commands: ${calledAs()} --help, ${calledAs()} <command> --help`)
  const text = message.replace(/^error: /, '').replace(/\n/g, ' ')
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}`
  const whole = /[.?)]$/.test(sentence) ? sentence : `${sentence}.`
  return usageInvalid(/--?[\w-]+/.exec(text)?.[0] ?? 'arguments', `${whole} All flags: ${calledAs()} ${called} --help`)
}

/** Waits until a stream has flushed its output. */
function drained(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve())
  })
}
