import { JuristError } from '../errors.js'
import { checkOptions, described, type OptionDescriptions, option, optionInvalid } from '../options.js'
import { isSearchable, search } from './search.js'

/** A rule for a string: exactly one of the four. `ignoreCase` makes upper and lower case equal. */
export type ContentRule =
  /** The whole string, compared by code units; a trailing newline matters. */
  | { readonly equals: string; readonly ignoreCase?: boolean }
  /** A part of the string; `''` always holds. */
  | { readonly contains: string; readonly ignoreCase?: boolean }
  /** Found by a search, not a full match. `budgetMs` limits its time in milliseconds, default 1,000. */
  | { readonly matches: RegExp | string; readonly budgetMs?: number; readonly ignoreCase?: boolean }
  /** A custom predicate, which must return a boolean. */
  | { readonly satisfies: (text: string) => boolean | Promise<boolean> }

export interface ContentTest {
  readonly wants: string
  readonly holds: (text: string) => boolean | Promise<boolean>
}

export interface DescribedRule {
  readonly equals?: string
  readonly contains?: string
  readonly matches?: RegExp | string
  readonly ignoreCase?: boolean
  readonly budgetMs?: number
}

export const contentOptions: OptionDescriptions<DescribedRule> = {
  equals: described(option.string, 'The whole text. A line break at the end counts.'),
  contains: described(option.string, 'A part of the text.'),
  matches: {
    wants: 'a regular expression or its source',
    holds: isSearchable,
    schema: { type: 'string' },
    description: 'A regular expression that is found in the text.',
  },
  ignoreCase: described(option.boolean, 'Whether upper and lower case are equal.', false),
  budgetMs: described(option.positive, 'Milliseconds that a search with "matches" may take.', 1_000),
}

interface AnyRule extends DescribedRule {
  readonly satisfies?: (text: string) => boolean | Promise<boolean>
}

/**
 * Called once, when the judge is created.
 *
 * @throws `option-invalid` unless exactly one rule is given, `pattern-invalid` for an invalid pattern
 */
export function contentTest(where: string, rule: ContentRule): ContentTest {
  const instead = ruleFor(rule)
  if (instead !== undefined) return optionInvalid('rule', `${where}: a rule is an object. Write ${instead}.`)
  const {
    equals,
    contains,
    matches,
    satisfies,
    budgetMs,
    ignoreCase = false,
  } = checkOptions<AnyRule>(where, rule, {
    ...contentOptions,
    satisfies: option.function,
  })
  const given = [equals, contains, matches, satisfies].filter((one) => one !== undefined)
  const isStray = (budgetMs !== undefined && matches === undefined) || (ignoreCase && satisfies !== undefined)
  if (given.length !== 1 || isStray)
    return optionInvalid(
      'rule',
      `${where}: give one of "equals", "contains", "matches" (with "budgetMs") and "satisfies" (without "ignoreCase").`,
    )
  const folded = (text: string) => (ignoreCase ? text.toLowerCase() : text)
  const wants = (verb: string, what: unknown) => `${verb} ${what}${ignoreCase ? ' in any case' : ''}`
  if (equals !== undefined)
    return { wants: wants('equal', quoted(equals)), holds: (text) => folded(text) === folded(equals) }
  if (contains !== undefined)
    return { wants: wants('contain', quoted(contains)), holds: (text) => folded(text).includes(folded(contains)) }
  if (matches !== undefined) return { wants: wants('match', matches), holds: search(matches, budgetMs, ignoreCase) }
  return { wants: 'satisfy the rule', holds: (text) => answerOf(where, satisfies?.(text)) }
}

/** Suggests a rule for a value that was given instead of one. */
function ruleFor(given: unknown): string | undefined {
  if (typeof given === 'string') return `{ equals: ${quoted(given)} } or { contains: ${quoted(given)} }`
  if (given instanceof RegExp) return `{ matches: ${given} }`
  return typeof given === 'function' ? '{ satisfies: (text) => … }' : undefined
}

async function answerOf(where: string, answer: boolean | Promise<boolean> | undefined): Promise<boolean> {
  const holds = await answer
  if (typeof holds === 'boolean') return holds
  throw new JuristError('judgment-invalid', `${where}: "satisfies" must answer true or false.`, { path: 'satisfies' })
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}
