import {
  type Argument,
  type ArgumentValues,
  type CommandHelp,
  type ExitCode,
  type FlagSet,
  type FlagValues,
  type SubcommandGroup as GroupFor,
  type SubcommandDefinition,
  type Subcommand as SubcommandFor,
  subcommand as subcommandFor,
  usageInvalid,
} from '@jurist/experiment/plugin'
import { didYouMean } from '@jurist/kit/did-you-mean'
import type { Command } from 'commander'
import { commanderOption, type TypedFlags, typedFlags } from './flags.js'
import type { Host } from './host.js'

/** A subcommand of this package. Its host has more features than that of plug-ins. */
export type Subcommand = SubcommandFor<Host>

export type Callable = Subcommand | GroupFor<Host>

interface Definition<Arguments extends readonly Argument[], Flags extends FlagSet>
  extends Omit<SubcommandDefinition<Arguments, Flags, Host>, 'run'> {
  readonly run: (
    host: Host,
    args: ArgumentValues<Arguments>,
    flags: FlagValues<Flags>,
    typed: TypedFlags,
  ) => Promise<ExitCode>
}

/** Creates a subcommand from a single declaration of its arguments and flags. */
export function subcommand<const Arguments extends readonly Argument[], Flags extends FlagSet>(
  definition: Definition<Arguments, Flags>,
): Subcommand {
  return subcommandFor({
    ...definition,
    run: (host: Host, args, flags, given) => definition.run(host, args, flags, typedFlags(definition.flags, given)),
  })
}

/** A subcommand with actions, each with its own help, such as `jurist hook install`. */
export type SubcommandGroup = GroupFor<Host>

/**
 * Adds the arguments, flags and examples to the help and the parser. `perform` receives the call that the parser
 * selects.
 */
export function define(
  command: Command,
  called: Callable,
  perform: (run: (host: Host) => ReturnType<Subcommand['perform']>) => Promise<void>,
): void {
  if ('actions' in called) defineGroup(command, called, perform)
  else {
    for (const [usage, help] of called.arguments) command.argument(usage, help)
    const options = Object.entries(called.flags).map(([name, one]) => [name, commanderOption(one)] as const)
    for (const [, option] of options) command.addOption(option)
    // Commander appends the options and the command to the arguments.
    command.action((...read: readonly unknown[]) => {
      const values: Readonly<Record<string, unknown>> = command.opts()
      const given = Object.fromEntries(options.map(([name, option]) => [name, values[option.attributeName()]]))
      return perform((host) => called.perform(host, read.slice(0, -2), given))
    })
  }
  addHelp(command, called)
}

function defineGroup(command: Command, { actions, preset }: SubcommandGroup, perform: Parameters<typeof define>[2]) {
  for (const [name, { summary, action }] of Object.entries(actions))
    define(command.command(name, { isDefault: name === preset }).description(summary), action, perform)
  command.helpCommand(false)
  command.hook('preSubcommand', refuseUnknownAction)
}

/** Commander passes an unknown action to the default one as its argument, where an error would not list the actions. */
function refuseUnknownAction(group: Command, action: Command): void {
  const [given] = group.args
  const known = group.commands.map((one) => one.name())
  if (given === undefined || given.startsWith('-') || known.includes(given)) return
  if (action.registeredArguments.length === 0)
    throw usageInvalid('action', `"${given}" is unknown.${didYouMean(given, known)} Actions: ${known.join(', ')}.`)
}

function addHelp(command: Command, { examples, note }: CommandHelp): void {
  const lines = examples.map((example) => `  jurist ${example}`)
  command.addHelpText('after', `\n${note === undefined ? '' : `${note}\n\n`}Examples:\n${lines.join('\n')}`)
}
