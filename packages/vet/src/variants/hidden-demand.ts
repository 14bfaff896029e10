/** A word that a hidden test demands, and that a solver must guess. */
export interface HiddenDemand {
  /**
   * `name`: imported from the code under test, or a file of it; `member`: of its values; `key`: of its results or of what
   * it writes; `message`: the text of an error; `path`: a file or a route; `command`, `flag`, `variable` (of the
   * environment) and `port`: of programs.
   */
  readonly kind: 'name' | 'member' | 'key' | 'message' | 'path' | 'command' | 'flag' | 'variable' | 'port'
  readonly word: string
  /** The hidden test, and the line of the word, counted from 1. */
  readonly path: string
  readonly line: number
}

/** A word that a test demands, whether or not something says it, with its place. */
export type Demand = Pick<HiddenDemand, 'kind' | 'word'> & { readonly at: number }
