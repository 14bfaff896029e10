import type { Json, JsonObject } from './json.js'
import type { Usage } from './usage.js'

/** One message of a prompt. */
export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

/** Options of a request to a model. An absent option has the model's default. */
export interface ModelOptions {
  readonly model?: string
  readonly temperature?: number
  readonly maxTokens?: number
  /** The time a judge waits for the answer, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number
  readonly seed?: number
  /** The number of alternatives to return for each token, with their log-probabilities. */
  readonly topLogprobs?: number
  /** A JSON Schema that the answer must match, for models that can enforce one. */
  readonly responseSchema?: Json
}

/** One question to a model. */
export interface JudgeModelRequest {
  readonly messages: readonly ModelMessage[]
  readonly options: ModelOptions
  /**
   * For middleware, never for the model. `fence` is the number in the marks around data in this prompt. `sample`
   * distinguishes equal requests that need separate answers.
   */
  readonly metadata: JsonObject
  /** Fires when the answer is no longer needed. */
  readonly signal: AbortSignal
}

/** A token that the model might have written. */
export interface TokenAlternative {
  readonly token: string
  readonly logprob: number
}
/** One token of an answer, with the most likely alternatives. */
export interface TokenLogprob extends TokenAlternative {
  readonly top: readonly TokenAlternative[]
}

/** The answer of a model. `usage` and `costUsd` are absent when not reported; a cost of 0 means free. */
export interface JudgeModelResponse {
  readonly text: string
  /** A structured answer. */
  readonly data?: Json
  /** The name of the model that answered, as the model reports it. */
  readonly model?: string
  readonly usage?: Usage
  readonly costUsd?: number
  readonly logprobs?: readonly TokenLogprob[]
  readonly metadata?: JsonObject
}

/**
 * A language model as judges use it: a function from a request to an answer. It rejects when it cannot answer, and soon
 * after the signal fires.
 */
export interface JudgeModel {
  (request: JudgeModelRequest): Promise<JudgeModelResponse>
  /** The description of the model. */
  readonly info?: Partial<ModelInfo>
}

/** The description of a model. */
export interface ModelInfo {
  /** The name of the model in the config. Absent: a program created it. */
  readonly name: string
  /**
   * The facts that a run records about a model of a config: provider, model, address, options, prices with their date.
   * Never contains a key.
   */
  readonly facts: JsonObject
  /** The environment variable with its key. Absent: it needs no key. */
  readonly keyVariable?: string
  /** The options a program created it with. Part of the fingerprint of a jury. */
  readonly options?: object
}

/** The vectors of several strings, in the same order, and their cost. */
export interface Embeddings {
  readonly vectors: readonly (readonly number[])[]
  readonly usage?: Usage
  /** US dollars. 0: free. Absent: not declared. */
  readonly costUsd?: number
}

/** Turns strings into vectors. Returns arrays, or arrays with their cost. */
export type Embed = (
  texts: readonly string[],
  signal: AbortSignal,
) => Promise<readonly (readonly number[])[] | Embeddings>

/** `undefined` for a model that is not in a config. */
export function modelInfoOf(model: object): ModelInfo | undefined {
  const { info } = model as { readonly info?: Partial<ModelInfo> }
  return info?.name === undefined || info.facts === undefined ? undefined : (info as ModelInfo)
}

/** For an agent the models may depend on the model of its task. */
export type CalledModels = readonly object[] | ((model: string | undefined) => readonly ModelInfo[])

/**
 * Lists each named model once.
 *
 * @param model the model of the agent's task
 */
export function modelsUsedBy(user: object, model?: string): readonly ModelInfo[] {
  const { info = {} } = user as {
    readonly info?: { readonly models?: CalledModels; readonly judges?: readonly object[] }
  }
  const { models = [], judges = [] } = info
  const own = typeof models === 'function' ? models(model) : models.flatMap((one) => modelInfoOf(one) ?? [])
  return [...new Set([...own, ...judges.flatMap((judge) => modelsUsedBy(judge))])]
}
