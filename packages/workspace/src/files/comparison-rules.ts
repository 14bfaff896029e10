import { type OptionRule, option } from '@jurist/core/internal'
import type { ComparisonRules } from './comparator.js'

/** What the rules of a comparison may be, for `checkOptions`. */
export const ruleOptions: { readonly [name in keyof Required<ComparisonRules>]: OptionRule } = {
  ignoreImportOrder: option.boolean,
  siblingOrder: option.oneOf('same-name', 'strict'),
  dependencyOrder: option.oneOf('ignore', 'keep'),
  maxFileBytes: option.integer(0),
}
