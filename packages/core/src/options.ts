import { JuristError } from './errors.js'
import { freeze } from './freeze.js'
import { isObject, isPlainObject } from './json.js'

/** What one option may be: the test, and the words that say what is wanted. */
export interface OptionRule {
  readonly wants: string
  readonly holds: (value: unknown) => boolean
}

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

/** Ready-made rules for `checkOptions`. */
export const option: {
  readonly anything: OptionRule
  readonly boolean: OptionRule
  readonly string: OptionRule
  readonly function: OptionRule
  readonly record: OptionRule
  /** A list of strings. */
  readonly strings: OptionRule
  /** A finite number within [0, 1]. */
  readonly rate: OptionRule
  /** A finite number above 0. */
  readonly positive: OptionRule
  /** A finite number of at least 0. */
  readonly nonNegative: OptionRule
  /** A whole number of at least `minimum`. */
  readonly integer: (minimum: number) => OptionRule
  readonly oneOf: (...values: readonly string[]) => OptionRule
  /** What any of the rules allows. */
  readonly either: (...rules: readonly OptionRule[]) => OptionRule
} = {
  anything: { wants: 'anything', holds: () => true },
  boolean: { wants: 'true or false', holds: (value) => typeof value === 'boolean' },
  string: { wants: 'a text', holds: (value) => typeof value === 'string' },
  function: { wants: 'a function', holds: (value) => typeof value === 'function' },
  record: { wants: 'an object', holds: isPlainObject },
  strings: {
    wants: 'a list of texts',
    holds: (value) => Array.isArray(value) && value.every((entry) => typeof entry === 'string'),
  },
  rate: { wants: 'a number from 0 to 1', holds: (value) => isNumber(value) && value >= 0 && value <= 1 },
  positive: { wants: 'a finite number above 0', holds: (value) => isNumber(value) && value > 0 },
  nonNegative: { wants: 'a finite number of at least 0', holds: (value) => isNumber(value) && value >= 0 },
  integer: (minimum) => ({
    wants: `a whole number of at least ${minimum}`,
    holds: (value) => Number.isSafeInteger(value) && (value as number) >= minimum,
  }),
  oneOf: (...values) => ({
    wants: `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`,
    holds: (value) => typeof value === 'string' && values.includes(value),
  }),
  either: (...rules) => ({
    wants: rules.map((rule) => rule.wants).join(', or '),
    holds: (value) => rules.some((rule) => rule.holds(value)),
  }),
}

/** Refuses an option: throws `option-invalid`. */
export function optionInvalid(option: string, message: string): never {
  throw new JuristError('option-invalid', message, { option })
}

/**
 * Checks an options object against its rules and returns a frozen copy without the keys whose value is `undefined`
 * (they count as not given).
 *
 * @param where the factory whose options these are, for the message
 * @throws `option-invalid` naming every unknown option and every value that its rule does not allow
 *
 * @example
 * const { threshold = 0.5 } = checkOptions('average', options, { threshold: option.rate })
 */
export function checkOptions<Options extends object>(
  where: string,
  options: Options | undefined,
  rules: { readonly [name in keyof Required<Options>]: OptionRule },
): Options {
  if (options === undefined) return {} as Options
  if (!isObject(options) || Array.isArray(options))
    return optionInvalid('options', `${where}: options must be an object.`)
  const known: { readonly [name: string]: OptionRule } = rules
  const given = Object.entries(options).filter(([, value]) => value !== undefined)
  const problems = given.flatMap(([name, value]) => {
    const rule = Object.hasOwn(known, name) ? known[name] : undefined
    if (rule === undefined) return [{ name, text: unknownOption(name, Object.keys(known)) }]
    return rule.holds(value) ? [] : [{ name, text: `"${name}" must be ${rule.wants}, not ${printed(value)}` }]
  })
  const [first] = problems
  if (first !== undefined) optionInvalid(first.name, `${where}: ${problems.map(({ text }) => text).join('; ')}.`)
  return freeze(Object.fromEntries(given)) as Options
}

function unknownOption(name: string, known: readonly string[]): string {
  return `there is no option "${name}"${known.length === 0 ? '' : ` (known: ${known.join(', ')})`}`
}

/** A value as it may stand in a message: short, and never a whole object. */
export function printed(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return 'a list'
  return isObject(value) ? 'an object' : String(value)
}
