import { JuristError } from '@jurist/core'
import type { Command } from 'commander'
import { usageInvalid } from '../config/problems.js'
import type { ExitCode } from './failure-report.js'
import { commanderOption, type FlagSet, type FlagValues, type TypedFlags, typedFlags } from './flags.js'
import type { Host } from './host.js'

/** One subcommand, as the program runs it. */
export interface Subcommand {
  /** Adds the arguments, flags and examples to the help and the parser. */
  readonly define: (command: Command) => void
  /** The exit code where another program gives a meaning of its own to ours. `argv`: the whole command line. */
  readonly exitCode?: (code: ExitCode, argv: readonly string[]) => ExitCode
  /** Reads what commander parsed, and runs. */
  readonly run: (host: Host, args: readonly unknown[], given: Readonly<Record<string, unknown>>) => Promise<ExitCode>
}

/** An argument: its usage, such as `<run>`, `[run]` or `[run...]`, and its help. */
type Argument = readonly [usage: `<${string}>` | `[${string}]`, help: string]

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

interface Definition<Arguments extends readonly Argument[], Flags extends FlagSet> {
  readonly arguments: Arguments
  readonly flags: Flags
  /** Command lines for the help, without `jurist`. */
  readonly examples: readonly string[]
  /** A paragraph of the help. */
  readonly note?: string
  readonly exitCode?: Subcommand['exitCode']
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
  const { flags, examples, note, check, exitCode } = definition
  return {
    ...(exitCode === undefined ? {} : { exitCode }),
    define(command) {
      for (const [usage, help] of definition.arguments) command.argument(usage, help)
      for (const one of Object.values(flags)) command.addOption(commanderOption(one))
      const lines = examples.map((example) => `  jurist ${example}`)
      command.addHelpText('after', `\n${note === undefined ? '' : `${note}\n\n`}Examples:\n${lines.join('\n')}`)
    },
    async run(host, given, options) {
      const args = argumentValues(definition.arguments, given)
      const problems: { readonly flag: string; readonly message: string }[] = []
      const problem: Problem = (flag, message) => void problems.push({ flag, message })
      const values = readFlags(flags, options, problem)
      if (problems.length === 0) check?.(values, problem, args, host)
      const [first] = problems
      if (first !== undefined) throw usageInvalid(first.flag, problems.map(({ message }) => message).join('\n'))
      return definition.run(host, args, values, typedFlags(flags, options))
    },
  }
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
