import type { OptionRule } from '../options.js'
import { checkOptions } from '../options.js'

/** `checkOptions` with options that must be given: one that is missing is refused by its own rule. */
export function checkNeeded<Options extends object>(
  where: string,
  options: Options,
  rules: { readonly [name in keyof Required<Options>]: OptionRule },
  needed: readonly (keyof Options)[],
): Options {
  const missing = needed.filter((name) => options?.[name] === undefined).map((name) => [name, null])
  return checkOptions<Options>(where, { ...options, ...Object.fromEntries(missing) }, rules)
}
