/**
 * Compares files and trees with a reference by their meaning: `matchesReference`, judges of single files, and the
 * comparison itself for other tools. Parsers are loaded when the first file of their language differs.
 */
import '../errors.js'

export type { ComparisonRules } from './comparator.js'
export { compareFiles, type FileComparison } from './compare-files.js'
export type { Difference } from './difference.js'
export * from './file-judges.js'
export { type Language, languageOf } from './language.js'
export { matchesReference } from './match-reference.js'
export type { MatchOptions } from './match-trees.js'
