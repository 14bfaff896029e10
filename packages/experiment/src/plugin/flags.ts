import { didYouMean } from '@jurist/kit/did-you-mean'
import { usageInvalid } from './usage.js'

/** Names that a project has. */
export type NameKind = 'experiment' | 'calibration' | 'jury' | 'variant' | 'run' | 'item' | 'file' | 'directory'

/** How a shell completes a value: one of some words, or a name of a kind. Absent: no completion. */
export type Completes = readonly string[] | NameKind

/** One flag of a subcommand: its help, and how its value is read. */
export interface Flag<Value> {
  /** The usage in the help, such as `-j, --concurrency <n>`. */
  readonly usage: string
  readonly help: string
  readonly isRepeatable: boolean
  readonly options: FlagOptions
  /** The words that the value is one of. */
  readonly values?: readonly string[] | undefined
  /** Converts the value that commander parsed; throws `usage-invalid` if it is invalid. */
  readonly read: (given: unknown, name: string) => Value
}

/** Options that few flags need. */
export interface FlagOptions {
  /** The environment variable that applies where the flag is absent. */
  readonly variable?: string
  /** Completions of the value, if the placeholder of the usage does not imply them. */
  readonly completes?: Completes
  /** The heading of the flag in the help. Default: Options. */
  readonly group?: string
  /** Whether only the long help (`--help-all`) contains the flag. */
  readonly isRare?: boolean
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

/**
 * A flag with one value; `undefined` where it is absent, or the default.
 *
 * @example
 * import { flag, whole } from 'jurist/plugin'
 *
 * const times = flag('-n, --times <n>', 'how often (default: 1)', whole(1), { default: 1 })
 */
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

/**
 * A flag that may be given several times.
 *
 * @example
 * import { repeatable, text } from 'jurist/plugin'
 *
 * const tags = repeatable('--tag <tag>', 'only runs with this tag', text)
 */
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

/**
 * A flag whose value may be left out: then it is `true`.
 *
 * @example
 * import { optional, whole } from 'jurist/plugin'
 *
 * const bail = optional('--bail [n]', 'stop after n failures (default: 1)', whole(1))
 */
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

/**
 * A flag without a value: `true` where it is given, also for one that starts with `--no-`.
 *
 * @example
 * import { toggle } from 'jurist/plugin'
 *
 * const strict = toggle('--strict', 'fail on warnings')
 */
export function toggle(usage: string, help: string, options: FlagOptions = {}): Flag<boolean> {
  const isNegated = usage.includes('--no-')
  return { usage, help, isRepeatable: false, options, read: (given) => given === !isNegated }
}

/**
 * Any string.
 *
 * @example
 * import { flag, text } from 'jurist/plugin'
 *
 * const name = flag('--name <name>', 'the name of the report', text)
 */
export const text: Parse<string> = (given) => given

/**
 * An integer from `minimum` to `maximum`.
 *
 * @example
 * import { flag, whole } from 'jurist/plugin'
 *
 * const port = flag('--port <n>', 'where the service listens', whole(0, 65_535))
 */
export function whole(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): Parse<number> {
  return (given, name) => {
    const number = /^\d+$/.test(given) ? Number(given) : Number.NaN
    if (number >= minimum && number <= maximum) return number
    const range = maximum === Number.MAX_SAFE_INTEGER ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`
    throw usageInvalid(name, `${name} must be an integer ${range} (got "${given}").`)
  }
}

/**
 * One of several words. Shells complete them.
 *
 * @param listedBy the command line that explains the words, where they are too many for a message
 *
 * @example
 * import { flag, oneOf } from 'jurist/plugin'
 *
 * const color = flag('--color <color>', 'red or green', oneOf(['red', 'green']))
 */
export function oneOf<const Value extends string>(values: readonly Value[], listedBy?: string): Parse<Value> {
  const parse = (given: string, name: string) => {
    const found = values.find((one) => one === given)
    if (found !== undefined) return found
    const nearest = didYouMean(given, values)
    if (listedBy !== undefined)
      throw usageInvalid(name, `${name}: there is no "${given}".${nearest} All names: ${listedBy}`)
    throw usageInvalid(name, `${name} must be one of ${values.join(', ')} (got "${given}").${nearest}`)
  }
  return Object.assign(parse, { values })
}

/**
 * Milliseconds since 1970 of a date or an instant in ISO 8601.
 *
 * @example
 * import { flag, instant } from 'jurist/plugin'
 *
 * const since = flag('--since <date>', 'only runs since a date, such as 2026-01-01', instant)
 */
export const instant: Parse<number> = (given, name) => {
  const time = /^\d{4}-\d{2}-\d{2}/.test(given) ? Date.parse(given) : Number.NaN
  if (!Number.isNaN(time)) return time
  throw usageInvalid(name, `${name} must be an instant, such as 2026-11-21 or 2026-11-21T09:00Z (got "${given}").`)
}
