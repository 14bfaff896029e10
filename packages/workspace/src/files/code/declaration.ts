import type { Item } from './items.js'

/**
 * A declaration, an import, a statement: one thing that has a key and is compared with its namesake.
 * `first` and `last` are its first and last token.
 */
export interface Member {
  readonly key: string
  readonly first: number
  readonly last: number
  readonly parts: readonly Part[]
  /** What it is. Namesakes of one sort are paired first, then those that are left. Default: all one sort. */
  readonly sort?: string
  /** Paired by its whole text, because its key says nothing: other statements of a module. */
  readonly anonymous?: boolean
  /** Members of one sequence keep their order. Absent: its place does not count. */
  readonly sequence?: string
  /** Free to change places with its neighbours in the sequence that are free too. */
  readonly movable?: boolean
  /** What is declared inside it. */
  readonly members?: readonly Member[]
}

/** A part of a member that gets a difference of its own. */
export interface Part {
  readonly kind: 'header' | 'differs'
  /** What it is called in a message: `body`, `signature`. */
  readonly label: string
  readonly items: readonly Item[]
  /** The token that follows the part: what is found there when the part is too short. */
  readonly end: number
}
