import { checkOptions, option } from '@jurist/core/internal'
import type { ComparisonRules } from './comparator.js'
import { ruleOptions } from './comparison-rules.js'
import type { FileComparison } from './file-comparison.js'
import { type Language, languages } from './language.js'

/**
 * Compares two contents as a language, for other tools: it touches no file. Contents that the language cannot read are
 * compared by their tokens or lines, and `notes` says so; nothing in them makes it throw.
 *
 * @throws `option-invalid`
 *
 * @example
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
  const [{ compareContents }, { frozen }] = await Promise.all([
    import('./compare-contents.js'),
    import('./file-comparison.js'),
  ])
  return frozen(await compareContents(reference, actual, { language, rules }))
}
