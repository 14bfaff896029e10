import { extname } from 'node:path'
import { isPlainObject } from '@jurist/core/internal'
import { Option } from 'commander'
import type { Completes } from '../completion/completes.js'
import { unknownName, usageInvalid } from '../config/problems.js'

/** One flag of a subcommand: its help, and how its value is read. */
export interface Flag<Value> {
  /** As in the help, such as `-j, --concurrency <n>`. */
  readonly usage: string
  readonly help: string
  readonly isRepeatable: boolean
  readonly options: FlagOptions
  /** The words that the value is one of. */
  readonly values?: readonly string[] | undefined
  /** Turns what commander parsed into the value; throws `usage-invalid` when it is wrong. */
  readonly read: (given: unknown, name: string) => Value
}

/** What few flags need. */
export interface FlagOptions {
  /** The environment variable that applies where the flag is absent. */
  readonly variable?: string
  /** What a shell offers as the value, where the placeholder of the usage does not say it. */
  readonly completes?: Completes
  /**
   * Where the flag belongs in a command line that resumes or starts the run: `plan` selects the trials, which a stored run
   * knows; `kept` has to be typed again, such as a budget; `replaced` says what is resumed.
   */
  readonly onResume?: 'plan' | 'kept' | 'replaced'
}

/** The flags of a subcommand by the names of their values. */
export type FlagSet = Readonly<Record<string, Flag<unknown>>>

/** The values of a set of flags. */
export type FlagValues<Flags extends FlagSet> = {
  readonly [Name in keyof Flags]: Flags[Name] extends Flag<infer Value> ? Value : never
}

/** Reads the text of a flag. `flag` is its name in messages. Throws `usage-invalid`. */
export interface Parse<Value> {
  (text: string, flag: string): Value
  /** The words that the text is one of. */
  readonly values?: readonly string[]
}

/** A flag with one value; `undefined` where it is absent, or the default. */
export function flag<Value>(
  usage: string,
  help: string,
  parse: Parse<Value>,
  options?: FlagOptions,
): Flag<Value | undefined>
export function flag<Value>(
  usage: string,
  help: string,
  parse: Parse<Value>,
  options: FlagOptions & { readonly default: NoInfer<Value> },
): Flag<Value>
export function flag<Value>(
  usage: string,
  help: string,
  parse: Parse<Value>,
  options: FlagOptions & { readonly default?: NoInfer<Value> } = {},
): Flag<Value | undefined> {
  const read = (given: unknown, name: string) => (given === undefined ? options.default : parse(String(given), name))
  return { usage, help, isRepeatable: false, options, values: parse.values, read }
}

/** A flag that may be given several times. */
export function repeatable<Value>(
  usage: string,
  help: string,
  parse: Parse<Value>,
  options: FlagOptions = {},
): Flag<readonly Value[]> {
  const read = (given: unknown, name: string) =>
    Array.isArray(given) ? given.map((one) => parse(String(one), name)) : []
  return { usage, help: `${help} (repeatable)`, isRepeatable: true, options, values: parse.values, read }
}

/** A flag whose value may be left out: then it is `true`. */
export function optional<Value>(
  usage: string,
  help: string,
  parse: Parse<Value>,
  options: FlagOptions = {},
): Flag<Value | true | undefined> {
  const read = (given: unknown, name: string) =>
    given === undefined || given === true ? given : parse(String(given), name)
  return { usage, help, isRepeatable: false, options, values: parse.values, read }
}

/** A flag without a value: `true` where it is given, also for one that starts with `--no-`. */
export function toggle(usage: string, help: string, options: FlagOptions = {}): Flag<boolean> {
  const isNegated = usage.includes('--no-')
  return { usage, help, isRepeatable: false, options, read: (given) => given === !isNegated }
}

/** Any text. */
export const text: Parse<string> = (given) => given

/** An integer from `minimum` to `maximum`. */
export function whole(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): Parse<number> {
  return (given, name) => {
    const number = /^\d+$/.test(given) ? Number(given) : Number.NaN
    if (number >= minimum && number <= maximum) return number
    const range = maximum === Number.MAX_SAFE_INTEGER ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`
    throw usageInvalid(name, `${name} must be an integer ${range} (got "${given}").`)
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

/** `key=rate`, such as `rules/build=0.9`. */
export const keyedRate: Parse<readonly [key: string, rate: number]> = (given, name) => {
  const at = given.lastIndexOf('=')
  if (at > 0) return [given.slice(0, at), rate(given.slice(at + 1), name)]
  throw usageInvalid(name, `${name} must be key=rate, such as rules/build=0.9 (got "${given}").`)
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Milliseconds of `500ms`, `30s`, `15m`, `2h` or a number of seconds. */
export const milliseconds: Parse<number> = (given, name) => {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(given) ?? []
  if (number === undefined)
    throw usageInvalid(name, `${name} must be a duration, such as 500ms, 30s, 15m or 2h (got "${given}").`)
  const duration = Number(number) * (units[unit] ?? 1_000)
  if (duration > 0) return duration
  throw usageInvalid(name, `${name} must be greater than zero (got "${given}").`)
}

/** One of several words. `listedBy`: the command line that explains them, where they are too many for a message. */
export function oneOf<const Value extends string>(values: readonly Value[], listedBy?: string): Parse<Value> {
  const parse = (given: string, name: string) => {
    const found = values.find((one) => one === given)
    if (found !== undefined) return found
    const nearest = unknownName(given, values)
    if (listedBy !== undefined)
      throw usageInvalid(name, `${name}: there is no "${given}".${nearest} All names: ${listedBy}`)
    throw usageInvalid(name, `${name} must be one of ${values.join(', ')} (got "${given}").${nearest}`)
  }
  return Object.assign(parse, { values })
}

/** Any JSON. */
export const json: Parse<unknown> = (given, name) => {
  try {
    return JSON.parse(given)
  } catch (thrown) {
    throw usageInvalid(name, `${name} must be JSON: ${thrown instanceof Error ? thrown.message : thrown}.`)
  }
}

/** A JSON object. */
export const jsonObject: Parse<Readonly<Record<string, unknown>>> = (given, name) => {
  const value = json(given, name)
  if (isPlainObject(value)) return value
  throw usageInvalid(name, `${name} must be a JSON object, such as {"tag":"small"}.`)
}

/** A name of a file that ends in one of some extensions, which select its format. */
export function fileEndingIn(...endings: readonly string[]): Parse<string> {
  return (given, name) => {
    // `extname` finds no extension in a name such as `.json`.
    if (endings.includes(extname(given))) return given
    throw usageInvalid(name, `${name} ${given} must end in ${endings.join(', ')}: the ending selects the format.`)
  }
}

/** The entries that are not `undefined`: for options, which may be absent but not `undefined`. */
export function defined<Value extends object>(value: Value): { [Key in keyof Value]?: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as {
    [Key in keyof Value]?: Exclude<Value[Key], undefined>
  }
}

/** The option of commander for a flag. */
export function commanderOption({ usage, help, isRepeatable }: Flag<unknown>): Option {
  const option = new Option(usage, help)
  return isRepeatable
    ? option.argParser((value, before: readonly string[] | undefined) => [...(before ?? []), value])
    : option
}

/** Which flags were typed, as words to type again. */
export interface TypedFlags {
  readonly plan: readonly string[]
  readonly kept: readonly string[]
  /** All but those that say what is resumed. */
  readonly all: readonly string[]
}

/** The words of the flags that a command line for resuming repeats. */
export function typedFlags(flags: FlagSet, given: Readonly<Record<string, unknown>>): TypedFlags {
  const words = (isMeant: (group: FlagOptions['onResume']) => boolean) =>
    Object.values(flags).flatMap((one) => (isMeant(one.options.onResume) ? wordsOf(one, given) : []))
  return {
    plan: words((group) => group === 'plan'),
    kept: words((group) => group === 'kept'),
    all: words((group) => group !== 'replaced'),
  }
}

function wordsOf(one: Flag<unknown>, given: Readonly<Record<string, unknown>>): readonly string[] {
  const option = commanderOption(one)
  const value = given[option.attributeName()]
  const word = option.long ?? ''
  // Commander sets a flag that starts with `--no-` to `true` until it is given.
  if (value === undefined || value === option.negate) return []
  if (typeof value === 'boolean') return [word]
  return [value].flat().flatMap((part) => [word, String(part)])
}

/** Milliseconds since 1970 of a date or an instant in ISO 8601. */
export const instant: Parse<number> = (given, name) => {
  const time = /^\d{4}-\d{2}-\d{2}/.test(given) ? Date.parse(given) : Number.NaN
  if (!Number.isNaN(time)) return time
  throw usageInvalid(name, `${name} must be an instant, such as 2026-11-21 or 2026-11-21T09:00Z (got "${given}").`)
}
