import { checkOptions, option } from '@jurist/core/internal'
import { type ComparisonRules, ruleOptions } from './comparator.js'
import type { ContentComparison } from './compare-contents.js'
import type { Difference } from './difference.js'
import { type Language, languages } from './language.js'

/**
 * Compares two contents as a language, for other tools. It touches no file. Contents that the language cannot parse are
 * compared by their tokens or lines, which `notes` reports; no content makes it throw.
 *
 * @throws `option-invalid`
 *
 * @example
 * import { compareFiles } from '@jurist/workspace/files'
 *
 * const encode = (text: string) => new TextEncoder().encode(text)
 * await compareFiles(encode('{"a":1}'), encode('{ "a": 1.0 }'), { language: 'json' }) // result: 'equivalent'
 */
export async function compareFiles(
  reference: Uint8Array,
  actual: Uint8Array,
  options: ComparisonRules & { readonly language: Language },
): Promise<FileComparison> {
  const { language, ...rules } = checkOptions('compareFiles', options, {
    ...ruleOptions,
    language: option.oneOf(...languages),
  })
  // Loaded on first use: a program that imports this function may never call it.
  const { compareContents } = await import('./compare-contents.js')
  return frozen(await compareContents(reference, actual, { language, rules }))
}

/**
 * The result of comparing two files. `by` is the finest means that was needed. The differences are sorted by workspace
 * line.
 */
export interface FileComparison {
  readonly result: 'identical' | 'equivalent' | 'differs'
  readonly language: Language
  readonly by: 'bytes' | 'tokens' | 'declarations' | 'tree' | 'lines'
  readonly notes: readonly string[]
  readonly differences: readonly Difference[]
}

/** Returns a comparison for callers, without internal fields and frozen. */
export function frozen({ differences, notes, ...comparison }: ContentComparison): FileComparison {
  const shown = differences.map(({ kind, member, line, referenceLine, message }) =>
    Object.freeze({ kind, member, line, referenceLine, message }),
  )
  return Object.freeze({ ...comparison, notes: Object.freeze([...notes]), differences: Object.freeze(shown) })
}
