import type { Usage } from 'jurist'

/** A model, as far as this example needs one: a prompt in, a text and its price out. */
export type Model = (request: ModelRequest) => Promise<ModelAnswer>

export interface ModelRequest {
  readonly prompt: string
  /** Fires when the answer is no longer wanted. */
  readonly signal: AbortSignal
}

export interface ModelAnswer {
  readonly text: string
  readonly usage: Usage
  /** US dollars. */
  readonly costUsd: number
}
