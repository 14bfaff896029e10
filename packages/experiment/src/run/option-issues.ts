import { type OptionRule, printed } from '@jurist/core/internal'
import { nearestNames } from '../dataset/nearest.js'
import type { ExperimentIssue } from '../errors.js'

/** The rules of an object, by key. */
export type Rules = { readonly [name: string]: OptionRule }

/**
 * Everything that the keys and values of an object break, each with its remedy. A key whose value is `undefined` counts as
 * not given.
 *
 * @param prefix where the object stands, such as `'budget.'`
 * @param required keys that must be there
 */
export function optionIssues(
  given: { readonly [key: string]: unknown },
  rules: Rules,
  prefix = '',
  required: readonly string[] = [],
): readonly ExperimentIssue[] {
  const missing = required.filter((name) => given[name] === undefined)
  const present = Object.entries(given).filter(([, value]) => value !== undefined)
  return [
    ...missing.map((name) => issue(`${prefix}${name}`, 'is missing.', `Give ${rules[name]?.wants ?? 'it'}.`)),
    ...present.flatMap(([name, value]) => valueIssues(name, value, rules, prefix)),
  ]
}

function valueIssues(name: string, value: unknown, rules: Rules, prefix: string): readonly ExperimentIssue[] {
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
  if (rule === undefined) return [issue(`${prefix}${name}`, 'is no option.', nearestOrAll(name, Object.keys(rules)))]
  if (rule.holds(value)) return []
  return [issue(`${prefix}${name}`, `must be ${rule.wants}, not ${printed(value)}.`, 'Correct it, or leave it out.')]
}

/** One thing that is wrong. */
export function issue(field: string, problem: string, remedy: string): ExperimentIssue {
  return Object.freeze({ field, problem, remedy })
}

/** The remedy for a name that is unknown: the nearest one, or all there are. */
export function nearestOrAll(name: string, known: readonly string[]): string {
  const near = nearestNames(name, known)
  if (near.length > 0) return `Did you mean ${near.map((one) => JSON.stringify(one)).join(' or ')}?`
  return `There are ${known.join(', ')}.`
}
