import type { Usage } from 'jurist'

/**
 * A model, as far as this example needs one: a prompt in, a text and its price out. The signal fires when the answer is
 * no longer wanted.
 */
export type Model = (request: { readonly prompt: string; readonly signal: AbortSignal }) => Promise<ModelAnswer>

export interface ModelAnswer {
  readonly text: string
  readonly usage: Usage
  /** US dollars. */
  readonly costUsd: number
}
