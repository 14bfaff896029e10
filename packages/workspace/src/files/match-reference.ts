import type { Judge, JudgmentContext } from '@jurist/core'
import {
  checkOptions,
  described,
  describeJudge,
  giveInfo,
  nonBlank,
  type OptionDescriptions,
  type OptionRule,
  option,
  optionInvalid,
  referenceOption,
} from '@jurist/core/internal'
import { ruleOptions } from './comparator.js'
import { languages } from './language.js'
import type { MatchOptions } from './match-trees.js'

const aWorkspace: OptionRule = {
  wants: 'a workspace, or the path of a directory',
  holds: (value) =>
    nonBlank.holds(value) ||
    (typeof value === 'object' && typeof (value as { readonly readBytes?: unknown } | null)?.readBytes === 'function'),
}

/** The options that a config writes as a program does. */
const patternOptions: OptionDescriptions<Omit<MatchOptions, 'reference'>> = {
  ...ruleOptions,
  ignore: described(option.strings, 'Patterns of files to ignore on both sides. Default: build output and caches.'),
  only: described(option.strings, 'Patterns of the files that are compared. Default: all.'),
  extra: described(
    option.oneOf('allow', 'forbid'),
    'Whether each file that the reference does not have is a failed check.',
    'allow',
  ),
  executable: described(option.oneOf('ignore', 'compare'), 'Whether the executable bit counts.', 'ignore'),
  languages: described(
    { ...option.record, schema: { type: 'object', additionalProperties: { enum: languages } } },
    'The language of files by glob, instead of by their names. The first match counts.',
  ),
}

function matchOptions(options: MatchOptions | undefined): MatchOptions {
  const checked = checkOptions('matchesReference', options, {
    ...patternOptions,
    reference: aWorkspace,
  })
  for (const [glob, language] of Object.entries(checked.languages ?? {}))
    if (!languages.includes(language))
      optionInvalid(
        'languages',
        `matchesReference: "languages" has ${JSON.stringify(language)} for ${JSON.stringify(glob)}; the languages are ${languages.join(', ')}.`,
      )
  return checked
}

/**
 * Passes when the workspace contains every file of the reference with an equivalent content: equal bytes, or no
 * difference that counts in the language of the file. There is one check for each file, named by its path. The score is
 * the share of checks that pass. Abstains without a reference, or when no file of it is left to compare.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { matchesReference } from '@jurist/workspace/files'
 *
 * matchesReference({ only: ['src/'], extra: 'forbid' })
 */
export function matchesReference(options?: MatchOptions): Judge {
  const checked = matchOptions(options)
  return giveInfo(
    async function matchesReference(context: JudgmentContext) {
      // Loaded on first use: a program that imports a judge may never run it.
      const { matchTrees } = await import('./match-trees.js')
      return matchTrees(checked, context)
    },
    { options: { ...options, reference: undefined } },
  )
}

describeJudge<Omit<MatchOptions, 'reference'> & { readonly reference?: string }>(matchesReference, {
  passes: 'the workspace has every file of the reference with an equivalent content',
  options: { reference: referenceOption, ...patternOptions },
  make: ({ reference, ...options }, config) =>
    matchesReference(reference === undefined ? options : { ...options, reference: config.path(reference) }),
})
