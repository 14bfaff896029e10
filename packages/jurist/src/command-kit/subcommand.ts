import { extname } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import {
  type Argument,
  type ArgumentValues,
  type CommandHelp,
  type ExitCode,
  type Flag,
  type FlagOptions,
  type FlagSet,
  type FlagValues,
  type GivenFlags,
  type Parse,
  type PluginAction,
  type PluginCommand,
  type SubcommandDefinition,
  type Subcommand as SubcommandFor,
  subcommand as subcommandFor,
  usageInvalid,
} from '@jurist/experiment/plugin'
import { didYouMean } from '@jurist/kit/did-you-mean'
import { type Command, Option } from 'commander'
import type { Host } from './host.js'

declare module '@jurist/experiment/plugin' {
  interface FlagOptions {
    /**
     * The role of the flag in a command line that resumes or starts the run: `plan` selects the trials, which a stored
     * run already contains; `kept` must be repeated, such as a budget; `replaced` names the run to resume.
     */
    readonly onResume?: 'plan' | 'kept' | 'replaced'
  }
}

/** US dollars. */
export const dollarAmount: Parse<number> = (given, name) => {
  if (/^(\d+(\.\d+)?|\.\d+)$/.test(given)) return Number(given)
  throw usageInvalid(name, `${name} must be an amount in US dollars, such as 2.50 (got "${given}").`)
}

/** A rate from 0 to 1; `80%` is 0.8. */
export const rate: Parse<number> = (given, name) => {
  const [, number, sign] = /^(\d+(?:\.\d+)?|\.\d+)(%)?$/.exec(given) ?? []
  const value = Number(number) / (sign === undefined ? 1 : 100)
  if (value <= 1) return value
  throw usageInvalid(name, `${name} must be a rate from 0 to 1, such as 0.8 or 80% (got "${given}").`)
}

/** A margin in points, above 0 and below 100, as a difference of rates: `5` is 0.05. */
export const marginPoints: Parse<number> = (given, name) => {
  const points = /^\d+(\.\d+)?$/.test(given) ? Number(given) : 0
  if (points > 0 && points < 100) return points / 100
  throw usageInvalid(name, `${name} must be a number of points from 0 to 100, exclusive, such as 5 (got "${given}").`)
}

/** `key=rate`, such as `rules/build=0.9`. */
export const keyedRate: Parse<readonly [key: string, rate: number]> = (given, name) => {
  const at = given.lastIndexOf('=')
  if (at > 0) return [given.slice(0, at), rate(given.slice(at + 1), name)]
  throw usageInvalid(name, `${name} must be key=rate, such as rules/build=0.9 (got "${given}").`)
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Converts `500ms`, `30s`, `15m`, `2h` or a number of seconds to milliseconds. */
export const milliseconds: Parse<number> = (given, name) => {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(given) ?? []
  if (number === undefined)
    throw usageInvalid(name, `${name} must be a duration, such as 500ms, 30s, 15m or 2h (got "${given}").`)
  const duration = Number(number) * (units[unit] ?? 1_000)
  if (duration > 0) return duration
  throw usageInvalid(name, `${name} must be greater than zero (got "${given}").`)
}

export const json: Parse<unknown> = (given, name) => {
  try {
    return JSON.parse(given)
  } catch (thrown) {
    throw usageInvalid(name, `${name} must be JSON: ${thrown instanceof Error ? thrown.message : thrown}.`)
  }
}

export const jsonObject: Parse<Readonly<Record<string, unknown>>> = (given, name) => {
  const value = json(given, name)
  if (isPlainObject(value)) return value
  throw usageInvalid(name, `${name} must be a JSON object, such as {"tag":"small"}.`)
}

/** A file name with one of these extensions, which select its format. */
export function fileEndingIn(...endings: readonly string[]): Parse<string> {
  return (given, name) => {
    // `extname` finds no extension in a name such as `.json`.
    if (endings.includes(extname(given))) return given
    throw usageInvalid(name, `${name} ${given} must end in ${endings.join(', ')}: the ending selects the format.`)
  }
}

/** Removes entries that are `undefined`: options may be absent, but not `undefined`. */
export function defined<Value extends object>(value: Value): { [Key in keyof Value]?: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as {
    [Key in keyof Value]?: Exclude<Value[Key], undefined>
  }
}

export function commanderOption({ usage, help, isRepeatable, options: { group, isRare } }: Flag<unknown>): Option {
  const option = new Option(usage, help).hideHelp(isRare === true)
  if (group !== undefined) option.helpGroup(`${group}:`)
  return isRepeatable
    ? option.argParser((value, before: readonly string[] | undefined) => [...(before ?? []), value])
    : option
}

/** Puts flags below a heading of the help. */
export function grouped<Flags extends FlagSet>(group: string, flags: Flags): Flags {
  const entries = Object.entries(flags).map(([name, one]) => [name, { ...one, options: { ...one.options, group } }])
  return Object.fromEntries(entries) as Flags
}

/** The flags on the command line, as arguments to repeat. */
export interface TypedFlags {
  readonly plan: readonly string[]
  readonly kept: readonly string[]
  /** All flags except those that name the run to resume. */
  readonly all: readonly string[]
}

/** Returns the flags that a command line for resuming repeats. */
export function typedFlags(flags: FlagSet, given: GivenFlags): TypedFlags {
  const words = (isMeant: (group: FlagOptions['onResume']) => boolean) =>
    Object.entries(flags).flatMap(([name, one]) => (isMeant(one.options.onResume) ? wordsOf(one, given[name]) : []))
  return {
    plan: words((group) => group === 'plan'),
    kept: words((group) => group === 'kept'),
    all: words((group) => group !== 'replaced'),
  }
}

function wordsOf(one: Flag<unknown>, value: unknown): readonly string[] {
  const option = commanderOption(one)
  const word = option.long ?? ''
  // Commander sets a flag that starts with `--no-` to `true` by default.
  if (value === undefined || value === option.negate) return []
  if (typeof value === 'boolean') return [word]
  return [value].flat().flatMap((part) => [word, String(part)])
}

/** A subcommand of this package. Its host has more features than that of plug-ins. */
export type Subcommand = SubcommandFor<Host>

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

/**
 * Adds a subcommand to the parser and its help: the action that `word` names with its arguments and flags, otherwise
 * those of the subcommand itself and a line for each action. `perform` receives the call that the parser selects.
 *
 * @returns the exit code for a program that gives its own meaning to ours, if it has one
 */
export async function define(
  command: Command,
  called: PluginCommand<Host>,
  word: string | undefined,
  perform: (run: (host: Host) => ReturnType<Subcommand['perform']>) => Promise<void>,
): Promise<PluginAction['exitCode']> {
  const { load, actions = {} } = called
  const names = Object.keys(actions)
  const action = word !== undefined && names.includes(word) ? actions[word] : undefined
  if (word !== undefined && action !== undefined) {
    defineOne(command.command(word).description(action.summary), await action.load(), perform)
    return action.exitCode
  }
  const own = await load?.()
  if (word !== undefined && names.length > 0 && (own === undefined || own.arguments.length === 0))
    throw usageInvalid('action', `"${word}" is unknown.${didYouMean(word, names)} Actions: ${names.join(', ')}.`)
  for (const name of names) defineLater(command, name, actions[name]?.summary ?? '')
  if (own === undefined) {
    command.action(() => {
      throw usageInvalid('action', `Name an action: ${names.join(', ')}.`)
    })
    addHelp(command, called)
  } else defineOne(command, own, perform)
  return called.exitCode
}

/** Adds only the line of an action to the help. The flags of an action are read if it follows its subcommand. */
function defineLater(command: Command, name: string, summary: string): void {
  const action = command.command(name).description(summary).usage('[options]')
  action.allowUnknownOption().allowExcessArguments()
  action.action(() => {
    throw usageInvalid('action', `Write "${name}" right after "${command.name()}", before all flags.`)
  })
  command.helpCommand(false)
}

function defineOne(command: Command, called: Subcommand, perform: Parameters<typeof define>[3]): void {
  for (const [usage, help] of called.arguments) command.argument(usage, help)
  const options = Object.entries(called.flags).map(([name, one]) => [name, commanderOption(one)] as const)
  for (const [, option] of options) command.addOption(option)
  // Commander appends the options and the command to the arguments.
  command.action((...read: readonly unknown[]) => {
    const values: Readonly<Record<string, unknown>> = command.opts()
    const given = Object.fromEntries(options.map(([name, option]) => [name, values[option.attributeName()]]))
    return perform((host) => called.perform(host, read.slice(0, -2), given))
  })
  addHelp(command, called)
  if (command.options.some(({ hidden }) => hidden)) addLongHelp(command)
}

/** Adds a flag that prints the help with rare flags, which the short help names at its end. */
function addLongHelp(command: Command): void {
  const more = `\nAll flags: ${pathOf(command)} --help-all`
  command.option('--help-all', 'display help for command, with rare flags')
  command.addHelpText('after', () => (command.options.some(({ hidden }) => hidden) ? more : ''))
  command.on('option:help-all', () => {
    for (const option of command.options) option.hideHelp(false)
    command.help()
  })
}

/** The words that call a command, such as `jurist vet probe`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}

function addHelp(command: Command, { examples = [], note }: Partial<CommandHelp>): void {
  const lines = examples.map((example) => `  jurist ${example}`)
  command.addHelpText('after', `\n${note === undefined ? '' : `${note}\n\n`}Examples:\n${lines.join('\n')}`)
}
