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

/** A hidden demand with the evidence of failed trials of stored runs. */
export interface TriedDemand extends HiddenDemand {
  /** The trials whose failed checks all name the word. From three on, the demand is proven; before, it is suspected. */
  readonly failed: number
  /** The word that a failed trial wrote instead, such as `out.csv` where the test reads `output.csv`; `null` if unknown. */
  readonly instead: { readonly trial: string; readonly word: string } | null
}

/** The number of trials that prove a hidden demand. */
export const provingTrials = 3

/** A word that a test demands, whether or not something says it, with its place. */
export type Demand = Pick<HiddenDemand, 'kind' | 'word'> & { readonly at: number }
