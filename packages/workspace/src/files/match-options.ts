import type { Workspace } from '@jurist/core'
import {
  checkOptions,
  described,
  nonBlank,
  type OptionDescriptions,
  type OptionRule,
  option,
  optionInvalid,
} from '@jurist/core/internal'
import { type ComparisonRules, ruleOptions } from './comparator.js'
import { type Language, languages } from './language.js'

/** Options of `matchesReference`. Arrays of patterns are in gitignore syntax. */
export interface MatchOptions extends ComparisonRules {
  /** A workspace, or the path of a directory. Default: the reference of the context. */
  readonly reference?: Workspace | string
  /** Patterns of files to ignore on both sides. Default `defaultIgnore`; spread it to extend it. */
  readonly ignore?: readonly string[]
  /** Patterns of the only files that are compared. Default: all files. */
  readonly only?: readonly string[]
  /** With `'forbid'`, each file that the reference does not have is a failed check. Default `'allow'`. */
  readonly extra?: 'allow' | 'forbid'
  /** With `'compare'`, the executable bit counts if both sides are directories. Default `'ignore'`. */
  readonly executable?: 'ignore' | 'compare'
  /** The language of files by glob, instead of by their names. The first match counts. Default: by name. */
  readonly languages?: { readonly [glob: string]: Language }
}

const aWorkspace: OptionRule = {
  wants: 'a workspace, or the path of a directory',
  holds: (value) =>
    nonBlank.holds(value) ||
    (typeof value === 'object' && typeof (value as { readonly readBytes?: unknown } | null)?.readBytes === 'function'),
}

/** The options that a config writes as a program does. */
export const patternOptions: OptionDescriptions<Omit<MatchOptions, 'reference'>> = {
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

export function matchOptions(options: MatchOptions | undefined): MatchOptions {
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
