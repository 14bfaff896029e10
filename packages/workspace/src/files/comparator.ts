import { described, type OptionDescriptions, option } from '@jurist/core/internal'
import { escaped, shortened } from '../quotation.js'
import type { FoundDifference } from './difference.js'

/** How strict a comparison is. */
export interface ComparisonRules {
  /** Whether the order of imports does not count, for scripts and Python. Default `false`. */
  readonly ignoreImportOrder?: boolean
  /**
   * For XML. `'strict'` keeps the order of all siblings, not only of those with the same name. Default `'same-name'`.
   */
  readonly siblingOrder?: 'same-name' | 'strict'
  /**
   * For XML. `'collapse'` replaces runs of space in text by one space, and removes space at its ends. Default `'keep'`:
   * text is compared as it is.
   */
  readonly textSpace?: 'keep' | 'collapse'
  /** For Maven. `'keep'` compares the order of dependencies. Default `'ignore'`. */
  readonly dependencyOrder?: 'ignore' | 'keep'
  /** A file with more bytes, on either side, is compared by its bytes alone. Default 10,485,760. */
  readonly maxFileBytes?: number
}

/**
 * Two sources of one language to compare, ready for a lexer: no byte order mark, LF line ends, no NUL, and not equal
 * byte for byte.
 */
export interface Sources {
  /** The expected source. */
  readonly reference: string
  /** The source from the agent. */
  readonly actual: string
  /** The path of the file, for languages whose dialect depends on it; absent if only the language is known. */
  readonly path?: string
  readonly rules: ComparisonRules
  /**
   * Whether there is time for another phase. Call it between tokens and parsing, and between parsing and comparing.
   * When it returns `false`, return the finding of the last finished phase with the note `outOfTime`.
   */
  readonly inTime: () => boolean
}

/** The finest means by which a comparison was decided. */
export type Means = 'tokens' | 'declarations' | 'tree' | 'lines'

/**
 * The result of a comparator. Without differences, the sources are equivalent. The order of the differences does not
 * matter.
 */
export interface Finding {
  readonly by: Means
  readonly differences: readonly FoundDifference[]
  readonly notes: readonly string[]
}

/** The notes about sources that the language cannot compare. Their lines are compared instead. */
export interface Unparsed {
  readonly by: 'nothing'
  readonly notes: readonly string[]
}

/**
 * Compares two sources of one language. It never throws because of their content: a side that does not parse is
 * compared by its tokens with a note from `doesNotParse` and one difference whose member is `''`, or is `Unparsed`
 * without a lexer.
 */
export type Comparator = (sources: Sources) => Finding | Unparsed | Promise<Finding | Unparsed>

/** Why a source does not parse, and on which line; `null` without a specific one. */
export interface SyntaxProblem {
  readonly message: string
  readonly line: number | null
}

/** The deepest nesting of a tree that is compared: data and XML, and (by brackets) languages with a grammar. */
export const maxDepth: { readonly data: number; readonly code: number } = { data: 256, code: 2_000 }

/** How many nodes, or tokens of changed members, one comparison looks at. */
export const maxNodes = 1_000_000

const [leastParseMs, mostParseMs] = [1_000, 4_000]

/**
 * Returns the processor time for parsing a source, in milliseconds: ample for what people write, little for a short
 * source made to be slow.
 */
export function parseBudgetMs(source: string): number {
  return Math.min(mostParseMs, leastParseMs + Math.ceil(source.length / 1_000))
}

/** The processor time for comparing one file, in milliseconds, checked between its phases. */
export const maxComparisonMs = 10_000

/** The note of a comparison that had no time for its next phase. */
export const outOfTime = 'compared by tokens only: the comparison ran out of time'

/** Returns the note about a side that does not parse. */
export function doesNotParse(side: 'reference' | 'workspace', { message, line }: SyntaxProblem): string {
  return shortened(
    `${side} does not parse: ${escaped(message.replace(/\.+$/, ''))}${line === null ? '' : ` at line ${line}`}`,
  )
}

export const ruleOptions: OptionDescriptions<ComparisonRules> = {
  ignoreImportOrder: described(option.boolean, 'Scripts and Python: the order of imports does not count.', false),
  siblingOrder: described(
    option.oneOf('same-name', 'strict'),
    'XML: "strict" keeps the order of all siblings, not only of those with the same name.',
    'same-name',
  ),
  textSpace: described(
    option.oneOf('keep', 'collapse'),
    'XML: "collapse" treats each run of white space in text as one space, and ignores it at both ends.',
    'keep',
  ),
  dependencyOrder: described(
    option.oneOf('ignore', 'keep'),
    'Maven: "keep" compares the order of dependencies.',
    'ignore',
  ),
  maxFileBytes: described(option.integer(0), 'A larger file is compared by its bytes alone.', 10_485_760),
}
