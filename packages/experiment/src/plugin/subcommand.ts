import { JuristError } from '@jurist/core'
import type { Completes, Flag, FlagSet, FlagValues } from './flags.js'
import type { CommandHost, ExitCode } from './host.js'
import { usageInvalid } from './usage.js'

/**
 * An argument: its usage, such as `<run>`, `[run]` or `[run...]`, its help, and its completions, if the usage does not
 * imply them.
 */
export type Argument = readonly [usage: `<${string}>` | `[${string}]`, help: string, completes?: Completes]

/** The value of an argument with this usage. */
export type ArgumentValue<Usage extends string> = Usage extends `${string}...${string}`
  ? readonly string[]
  : Usage extends `[${string}`
    ? string | undefined
    : string

/** The values of arguments, in their order. */
export type ArgumentValues<Arguments extends readonly Argument[]> = {
  readonly [Index in keyof Arguments]: ArgumentValue<Arguments[Index][0]>
}

/** Records a problem with a flag. All problems are reported together. */
export type ReportProblem = (flag: string, message: string) => void

/** Additions to the help of a subcommand, after its arguments and flags. */
export interface CommandHelp {
  /** Command lines, without `jurist`. */
  readonly examples: readonly string[]
  /** A paragraph. */
  readonly note?: string
}

/** The parsed value of each flag, by its name. */
export type GivenFlags = Readonly<Record<string, unknown>>

/** The declaration of a subcommand: its parser, its help, its completion and the types of its values follow from it. */
export interface SubcommandDefinition<Arguments extends readonly Argument[], Flags extends FlagSet, Host = CommandHost>
  extends CommandHelp {
  readonly arguments: Arguments
  readonly flags: Flags
  /** Checks how flags and arguments combine. Runs only if each of them is valid. */
  readonly check?: (
    flags: FlagValues<Flags>,
    problem: ReportProblem,
    args: ArgumentValues<Arguments>,
    host: Host,
  ) => void
  readonly run: (
    host: Host,
    args: ArgumentValues<Arguments>,
    flags: FlagValues<Flags>,
    given: GivenFlags,
  ) => Promise<ExitCode>
}

/** One subcommand, as the program runs it. */
export interface Subcommand<Host = CommandHost> extends CommandHelp {
  readonly arguments: readonly Argument[]
  readonly flags: FlagSet
  /** Runs the subcommand with parsed arguments and flags. Throws `usage-invalid` for invalid ones. */
  readonly perform: (host: Host, args: readonly unknown[], given: GivenFlags) => Promise<ExitCode>
}

/**
 * A subcommand from the one declaration of its arguments and flags: parser, help and typed values follow from it.
 *
 * @example
 * import { flag, subcommand, whole } from 'jurist/plugin'
 *
 * export const greet = subcommand({
 *   arguments: [['<name>', 'who is greeted']],
 *   flags: { times: flag('--times <n>', 'how often (default: 1)', whole(1), { default: 1 }) },
 *   examples: ['greet Ana --times 2'],
 *   async run(host, [name], { times }) {
 *     host.terminal.out(`Hello, ${name}.\n`.repeat(times))
 *     return 0
 *   },
 * })
 */
export function subcommand<const Arguments extends readonly Argument[], Flags extends FlagSet, Host = CommandHost>(
  definition: SubcommandDefinition<Arguments, Flags, Host>,
): Subcommand<Host> {
  const { check, run, ...declared } = definition
  return {
    ...declared,
    perform(host, read, given) {
      // The parser gives a repeatable argument as an array, also where it is absent.
      const args = definition.arguments.map((_, index) => read[index]) as unknown as ArgumentValues<Arguments>
      const problems: { readonly flag: string; readonly message: string }[] = []
      const problem: ReportProblem = (flag, message) => void problems.push({ flag, message })
      const flags = readFlags(definition.flags, given, problem)
      if (problems.length === 0) check?.(flags, problem, args, host)
      const [first] = problems
      if (first !== undefined) throw usageInvalid(first.flag, problems.map(({ message }) => message).join('\n'))
      return run(host, args, flags, given)
    },
  }
}

function readFlags<Flags extends FlagSet>(flags: Flags, given: GivenFlags, problem: ReportProblem): FlagValues<Flags> {
  const entries = Object.entries(flags).map(([name, one]) => {
    try {
      return [name, readFlag(one, given[name])]
    } catch (thrown) {
      if (!JuristError.is(thrown, 'usage-invalid')) throw thrown
      problem(thrown.details.argument, thrown.message)
      return [name, undefined]
    }
  })
  return Object.fromEntries(entries) as FlagValues<Flags>
}

function readFlag({ usage, options: { variable }, read }: Flag<unknown>, typed: unknown): unknown {
  const fromEnvironment = variable === undefined ? undefined : process.env[variable] || undefined
  if (typed === undefined && variable !== undefined && fromEnvironment !== undefined)
    return read(fromEnvironment, variable)
  return read(typed, /--[\w-]+/.exec(usage)?.[0] ?? usage)
}
