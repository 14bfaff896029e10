import type { Judge, JudgmentContext } from '@jurist/core'
import { describeJudge, giveInfo, referenceOption } from '@jurist/core/internal'
import { type MatchOptions, matchOptions, patternOptions } from './match-options.js'

/**
 * Passes when the workspace holds every file of the reference with an equivalent content: equal bytes, or no difference
 * that counts in the language of the file. One check per file, named by its path; the score is the share of checks that
 * pass. Abstains without a reference, or when no file of it is left to compare.
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
      // Loaded when it is needed: who imports a judge may never run it.
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
