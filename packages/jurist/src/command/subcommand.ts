import { JuristError } from '@jurist/core'
import type { Command } from 'commander'
import type { Completes } from '../completion/completes.js'
import { unknownName, usageInvalid } from '../config/problems.js'
import type { ExitCode } from './failure-report.js'
import { commanderOption, type FlagSet, type FlagValues, type TypedFlags, typedFlags } from './flags.js'
import type { Host } from './host.js'

/** Runs what the command line calls. */
type Perform = (run: (host: Host) => Promise<ExitCode>) => Promise<void>

/** What a subcommand takes, for shells that complete it. */
export type Declaration =
  | { readonly arguments: readonly Argument[]; readonly flags: FlagSet }
  | { readonly actions: Readonly<Record<string, { readonly summary: string; readonly action: Subcommand }>> }

/** One subcommand, as the program runs it. */
export interface Subcommand {
  readonly declaration: Declaration
  /** Adds the arguments, flags and examples to the help and the parser. `perform` receives what the parser calls. */
  readonly define: (command: Command, perform: Perform) => void
  /** The exit code where another program gives its own meaning to ours. `argv`: the whole command line. */
  readonly exitCode?: (code: ExitCode, argv: readonly string[]) => ExitCode
}

/**
 * An argument: its usage, such as `<run>`, `[run]` or `[run...]`, its help, and what a shell offers, where the usage does not say
 * it.
 */
type Argument = readonly [usage: `<${string}>` | `[${string}]`, help: string, completes?: Completes]

type ArgumentValue<Usage extends string> = Usage extends `${string}...${string}`
  ? readonly string[]
  : Usage extends `[${string}`
    ? string | undefined
    : string

type ArgumentValues<Arguments extends readonly Argument[]> = {
  readonly [Index in keyof Arguments]: ArgumentValue<Arguments[Index][0]>
}

/** Records what is wrong with a flag. All problems are reported together. */
export type Problem = (flag: string, message: string) => void

/** What the help of a subcommand adds to its arguments and flags. */
interface Help {
  /** Command lines, without `jurist`. */
  readonly examples: readonly string[]
  /** A paragraph. */
  readonly note?: string
}

interface Definition<Arguments extends readonly Argument[], Flags extends FlagSet> extends Help {
  readonly arguments: Arguments
  readonly flags: Flags
  /** Checks what several flags and arguments say together. Runs only where each flag by itself is right. */
  readonly check?: (flags: FlagValues<Flags>, problem: Problem, args: ArgumentValues<Arguments>, host: Host) => void
  readonly run: (
    host: Host,
    args: ArgumentValues<Arguments>,
    flags: FlagValues<Flags>,
    typed: TypedFlags,
  ) => Promise<ExitCode>
}

/** A subcommand from the one declaration of its arguments and flags: parser, help and typed values follow from it. */
export function subcommand<const Arguments extends readonly Argument[], Flags extends FlagSet>(
  definition: Definition<Arguments, Flags>,
): Subcommand {
  const { flags, check } = definition
  const run = (host: Host, given: readonly unknown[], options: Readonly<Record<string, unknown>>) => {
    const args = argumentValues(definition.arguments, given)
    const problems: { readonly flag: string; readonly message: string }[] = []
    const problem: Problem = (flag, message) => void problems.push({ flag, message })
    const values = readFlags(flags, options, problem)
    if (problems.length === 0) check?.(values, problem, args, host)
    const [first] = problems
    if (first !== undefined) throw usageInvalid(first.flag, problems.map(({ message }) => message).join('\n'))
    return definition.run(host, args, values, typedFlags(flags, options))
  }
  return {
    declaration: { arguments: definition.arguments, flags },
    define(command, perform) {
      for (const [usage, help] of definition.arguments) command.argument(usage, help)
      for (const one of Object.values(flags)) command.addOption(commanderOption(one))
      addHelp(command, definition)
      // Commander adds the options and the command to the arguments.
      command.action((...given: readonly unknown[]) => perform((host) => run(host, given.slice(0, -2), command.opts())))
    },
  }
}

interface Group extends Help {
  /** By name, each with its line in the help. */
  readonly actions: { readonly [name: string]: { readonly summary: string; readonly action: Subcommand } }
  /** What runs without a name of an action. Default: naming one is required. */
  readonly preset?: string
  readonly exitCode?: Subcommand['exitCode']
}

/** A subcommand with actions, each with its own help, such as `jurist hook install`. */
export function subcommandGroup({ actions, preset, exitCode, ...help }: Group): Subcommand {
  return {
    declaration: { actions },
    exitCode,
    define(command, perform) {
      for (const [name, { summary, action }] of Object.entries(actions))
        action.define(command.command(name, { isDefault: name === preset }).description(summary), perform)
      command.helpCommand(false)
      command.hook('preSubcommand', refuseUnknownAction)
      addHelp(command, help)
    },
  }
}

/** What is no action goes to the default one, as its argument: an error there would not name the actions. */
function refuseUnknownAction(group: Command, action: Command): void {
  const [given] = group.args
  const known = group.commands.map((one) => one.name())
  if (given === undefined || given.startsWith('-') || known.includes(given)) return
  if (action.registeredArguments.length === 0)
    throw usageInvalid('action', `"${given}" is unknown.${unknownName(given, known)} Actions: ${known.join(', ')}.`)
}

function addHelp(command: Command, { examples, note }: Help): void {
  const lines = examples.map((example) => `  jurist ${example}`)
  command.addHelpText('after', `\n${note === undefined ? '' : `${note}\n\n`}Examples:\n${lines.join('\n')}`)
}

function argumentValues<Arguments extends readonly Argument[]>(
  declared: Arguments,
  given: readonly unknown[],
): ArgumentValues<Arguments> {
  // Commander gives a repeatable argument as an array, also where it is absent.
  return declared.map((_, index) => given[index]) as unknown as ArgumentValues<Arguments>
}

function readFlags<Flags extends FlagSet>(
  flags: Flags,
  given: Readonly<Record<string, unknown>>,
  problem: Problem,
): FlagValues<Flags> {
  const entries = Object.entries(flags).map(([name, one]) => {
    const option = commanderOption(one)
    const { variable } = one.options
    const fromEnvironment = variable === undefined ? undefined : process.env[variable] || undefined
    const typed = given[option.attributeName()]
    const [value, called] =
      typed === undefined && fromEnvironment !== undefined ? [fromEnvironment, variable] : [typed, option.long]
    try {
      return [name, one.read(value, called ?? name)]
    } catch (thrown) {
      if (!JuristError.is(thrown, 'usage-invalid')) throw thrown
      problem(thrown.details.argument, thrown.message)
      return [name, undefined]
    }
  })
  return Object.fromEntries(entries) as FlagValues<Flags>
}
