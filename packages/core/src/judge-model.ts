import type { Json, JsonObject } from './json.js'
import type { Usage } from './usage.js'

/** One message of a prompt. */
export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** How a model is asked; what is absent is left to the model. */
export interface ModelOptions {
  readonly model?: string
  readonly temperature?: number
  readonly maxTokens?: number
  /** How long a judge waits for the answer. Default 60,000 ms. */
  readonly timeoutMs?: number
  readonly seed?: number
  /** How many alternatives of each token to return, with their log-probabilities. */
  readonly topLogprobs?: number
  /** A JSON Schema that the answer shall keep, for models that can be held to one. */
  readonly responseSchema?: Json
}

/** One question to a model. */
export interface JudgeModelRequest {
  readonly messages: readonly ModelMessage[]
  readonly options: ModelOptions
  /**
   * For middleware, never for the model. `fence` is the number of the marks around data in this prompt, `sample` tells
   * equal requests apart that shall have answers of their own.
   */
  readonly metadata: JsonObject
  /** Fires when the answer is no longer needed. */
  readonly signal: AbortSignal
}

/** One token that a model might have written. */
export interface TokenAlternative {
  readonly token: string
  readonly logprob: number
}
/** One token of an answer, with the most likely others in its place. */
export interface TokenLogprob extends TokenAlternative {
  readonly top: readonly TokenAlternative[]
}

/** What a model answered. `usage` and `costUsd` are absent when not reported; a cost of 0 means free. */
export interface JudgeModelResponse {
  readonly text: string
  /** A structured answer. */
  readonly data?: Json
  /** The model that answered, as it calls itself. */
  readonly model?: string
  readonly usage?: Usage
  readonly costUsd?: number
  readonly logprobs?: readonly TokenLogprob[]
  readonly metadata?: JsonObject
}

/**
 * A language model as a judge needs it: a question, an answer. It rejects when it cannot answer, and soon after the
 * signal fires.
 */
export interface JudgeModel {
  (request: JudgeModelRequest): Promise<JudgeModelResponse>
  /** What is known of it. */
  readonly info?: Partial<ModelInfo>
}

/** What is known of a model. */
export interface ModelInfo {
  /** Its name in the config. Absent: a program made it. */
  readonly name: string
  /** What a run records of a model of a config: provider, model, address, options, prices with their date. Never a key. */
  readonly facts: JsonObject
  /** The variable that holds its key. Absent: it needs none. */
  readonly keyVariable?: string
  /** What a program made it with; it counts in the fingerprint of a jury. */
  readonly options?: object
}

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
