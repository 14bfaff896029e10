import { freeze } from '../brand.js'
import type { JudgmentContext } from '../context.js'
import { neverAborted } from '../context.js'
import { readAmount } from '../decoders.js'
import { JuristError } from '../errors.js'
import { dotted, isPlainObject, type Json, type JsonObject, type Place } from '../json.js'
import { type AbstainJudgment, abstain, type Judgment } from '../judgment.js'
import { readUsage, type Usage } from '../usage.js'

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
  /** How many alternatives of each token are wanted, with their log-probabilities. */
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
  /** Fires when the answer is no longer wanted. */
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
export type JudgeModel = (request: JudgeModelRequest) => Promise<JudgeModelResponse>

/**
 * A request of one user message, to try a model or a middleware with.
 *
 * @param signal default: one that never fires
 *
 * @example
 * import { userRequest } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const model = scriptedModel('Hello!')
 * const { text } = await model(userRequest('Say hello.', { temperature: 0 }))
 * console.log(text) // 'Hello!'
 */
export function userRequest(text: string, options: ModelOptions = {}, signal?: AbortSignal): JudgeModelRequest {
  return freeze({
    messages: freeze([freeze({ role: 'user', content: text })]),
    options,
    metadata: freeze({}),
    signal: signal ?? neverAborted,
  } satisfies JudgeModelRequest)
}

/** Programs that answer with data alone may say `null` for the text. */
type Given = Partial<Omit<JudgeModelResponse, 'text'>> & { readonly text?: string | null }

/**
 * What a model answered, checked as far as judges rest on it. An answer of data alone has the empty text.
 *
 * @throws `response-invalid`
 */
export function readResponse(value: unknown): JudgeModelResponse {
  if (typeof value !== 'object' || value === null) return refuse([], `is ${value === null ? 'null' : typeof value}`)
  const { text, data, model, usage, costUsd, metadata } = value as Given
  const silent = text === undefined || text === null
  if (typeof text !== 'string' && !(silent && data !== undefined)) return refuse(['text'], 'must be a string')
  if (model !== undefined && typeof model !== 'string') return refuse(['model'], 'must be a string')
  if (metadata !== undefined && !isPlainObject(metadata)) return refuse(['metadata'], 'must be a plain object')
  if (usage !== undefined) readUsage(usage, ['usage'], refuse)
  if (costUsd !== undefined) readAmount(costUsd, ['costUsd'], refuse)
  return typeof text === 'string' ? (value as JudgeModelResponse) : freeze({ ...value, text: '' })
}

function refuse(place: Place, problem: string): never {
  const reason = `${dotted(place)} ${problem}`
  throw new JuristError(
    'response-invalid',
    `The model's answer cannot be used: ${reason}. A model resolves to { text } or { data }, with usage where known.`,
    { reason },
  )
}

/** What a model is sent. */
export interface RenderedPrompt {
  readonly messages: readonly ModelMessage[]
  /** The number in the marks around untrusted data, when there are any: new each time, so caches replace it. */
  readonly fence?: string
}

/** Puts what is to be judged into words. `promptTemplate` makes one from a template. */
export type Prompt = (context: JudgmentContext) => RenderedPrompt | Promise<RenderedPrompt>

/** Makes a judgment of what a model answered. An answer that it cannot read abstains: it is never a fail. */
export type Classify = (response: JudgeModelResponse, context: JudgmentContext) => Judgment | Promise<Judgment>

/** Why an answer could not be read: nothing was found in it, or more than one thing. */
export type Unread = 'none' | 'ambiguous'

/** The abstention for an answer that could not be read. */
export function unreadable(unread: Unread, reasoning: string): AbstainJudgment {
  return abstain(reasoning, { metadata: { unread } })
}
