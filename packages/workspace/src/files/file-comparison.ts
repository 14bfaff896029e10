import type { ContentComparison } from './compare-contents.js'
import type { Difference } from './difference.js'
import type { Language } from './language.js'

/** How two files compare. `by` is the finest means that was needed; the differences are sorted by workspace line. */
export interface FileComparison {
  readonly result: 'identical' | 'equivalent' | 'differs'
  readonly language: Language
  readonly by: 'bytes' | 'tokens' | 'declarations' | 'tree' | 'lines'
  readonly notes: readonly string[]
  readonly differences: readonly Difference[]
}

/** A comparison as it is given away. */
export function frozen({ differences, notes, ...comparison }: ContentComparison): FileComparison {
  const shown = differences.map(({ kind, member, line, referenceLine, message }) =>
    Object.freeze({ kind, member, line, referenceLine, message }),
  )
  return Object.freeze({ ...comparison, notes: Object.freeze([...notes]), differences: Object.freeze(shown) })
}
