import type { Usage } from './usage.js'

/** The vectors of texts, in their order, and what they cost. */
export interface Embeddings {
  readonly vectors: readonly (readonly number[])[]
  readonly usage?: Usage
  /** US dollars. 0: free. Absent: not declared. */
  readonly costUsd?: number
}

/** Turns texts into vectors: as arrays, or with what they cost. */
export type Embed = (
  texts: readonly string[],
  signal: AbortSignal,
) => Promise<readonly (readonly number[])[] | Embeddings>
