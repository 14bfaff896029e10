import type { JudgmentContext } from '../context.js'
import { objectOf } from '../field-rules.js'
import { giveInfo, type Judge } from '../judge.js'
import { describeJudge } from '../judge-description.js'
import {
  checkOptions,
  described,
  type OptionDescriptions,
  type OptionRule,
  option,
  optionInvalid,
  printed,
} from '../options.js'
import { besideExpected } from './expected-answer.js'
import { type Comparing, comparisons, type MatchesExpectedOptions } from './expected-forms.js'
import { defaultNormalization, normalizationRule } from './normalization.js'
import type { Tolerance } from './numbers.js'

const tolerances: OptionDescriptions<Tolerance> = {
  absolute: described(option.nonNegative, 'How far a number may be away.', 0),
  relative: described(option.nonNegative, 'The same as a share of the expected number.', 0),
}

const toleranceRule: OptionRule = option.either(
  option.nonNegative,
  objectOf('{ absolute, relative } of such numbers', tolerances, ['absolute', 'relative']),
)

const options: OptionDescriptions<MatchesExpectedOptions> = {
  by: described(
    option.oneOf('text', 'includes', 'number', 'json', 'choice', 'list'),
    'How the answer must match: the same text, a part of it as whole words, the same number, the same JSON value, one ' +
      'stated choice, or the same entries in any order.',
    'text',
  ),
  normalize: described(normalizationRule, 'Differences to ignore in strings and lists.', [...defaultNormalization]),
  tolerance: described(
    toleranceRule,
    'How far a number may be off, with `number` and `json`; `relative` is a share of the expected number.',
    0,
  ),
  which: described(
    option.oneOf('only', 'first', 'last'),
    'Which number of the answer counts; with `only`, numbers that differ are a fail.',
    'only',
  ),
  decimal: described(option.oneOf('.', ','), 'The decimal mark, with `number`.', '.'),
  choices: described(option.strings, 'The choices, with `choice`. Default: the metadata `choices` of the item.'),
  threshold: described(option.rate, 'The lowest score that passes, with `json` and `list`.', 1),
}

/** The comparisons that an option applies to; an option that is not listed applies to all. */
const belongs: { readonly [name in keyof MatchesExpectedOptions]: readonly Comparing[] } = {
  normalize: ['text', 'includes', 'list'],
  tolerance: ['number', 'json'],
  which: ['number'],
  decimal: ['number'],
  choices: ['choice'],
  threshold: ['json', 'list'],
}

/**
 * Passes when the agent's answer matches the expected output of the item, or one of them if the item has a list of
 * right answers. Abstains without an expected output, fails without an answer. An expected output that cannot be read,
 * such as one without a number, is an ERROR. Checks: `expected_match`; with `json` also one for each of the first 20
 * differences, named by its JSON pointer. The score is 1 or 0, with `json` the share of equal values, with `list` F1.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { matchesExpected } from '@jurist/core/answers'
 *
 * matchesExpected({ by: 'number', tolerance: { relative: 0.01 } })
 */
export function matchesExpected(given: MatchesExpectedOptions = {}): Judge {
  const checked = checkOptions('matchesExpected', given, options)
  const { by = 'text' } = checked
  const foreign = Object.keys(checked).find(
    (name) => !(belongs[name as keyof MatchesExpectedOptions] ?? [by]).includes(by),
  )
  if (foreign !== undefined)
    return optionInvalid(
      foreign,
      `matchesExpected: ${printed(foreign)} has no meaning with by: ${printed(by)}. Leave it out.`,
    )
  const compare = comparisons[by](checked)
  return giveInfo(
    function matchesExpected(context: JudgmentContext) {
      return besideExpected(context, (answer, expected) => compare(answer, expected, context))
    },
    { options: checked },
  )
}

describeJudge<MatchesExpectedOptions>(matchesExpected, {
  passes: "the agent's answer matches the expected output of the item",
  options,
  make: (given) => matchesExpected(given),
})
