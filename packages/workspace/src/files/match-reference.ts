import type { Judge, JudgmentContext } from '@jurist/core'
import { describeJudge, giveInfo, referenceOption } from '@jurist/core/internal'
import { type MatchOptions, matchOptions, patternOptions } from './match-options.js'

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
