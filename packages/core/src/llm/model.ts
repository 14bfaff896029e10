import type { JudgmentContext } from '../context.js'
import { neverAborted } from '../context.js'
import { JuristError } from '../errors.js'
import { dotted, type Place } from '../json.js'
import type { JudgeModelRequest, JudgeModelResponse, ModelMessage, ModelOptions } from '../judge-model.js'
import { type AbstainJudgment, abstain, type Judgment } from '../judgment.js'
import { optional, type Read, readAmount, readRecord, readText } from '../options.js'
import { readUsage } from '../usage.js'

export type {
  JudgeModel,
  JudgeModelRequest,
  JudgeModelResponse,
  ModelInfo,
  ModelMessage,
  ModelOptions,
  TokenAlternative,
  TokenLogprob,
} from '../judge-model.js'

/**
 * Creates a request with one user message, to try a model or a middleware with.
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
  return Object.freeze({
    messages: Object.freeze([Object.freeze({ role: 'user', content: text })]),
    options,
    metadata: Object.freeze({}),
    signal: signal ?? neverAborted,
  } satisfies JudgeModelRequest)
}

/** Programs that answer with data alone may set the text to `null`. */
type Given = Partial<Omit<JudgeModelResponse, 'text'>> & { readonly text?: string | null }

/**
 * An answer of data alone has the text `''`.
 *
 * @throws `response-invalid`
 */
export function readResponse(value: unknown): JudgeModelResponse {
  if (typeof value !== 'object' || value === null) return refuse([], `is ${value === null ? 'null' : typeof value}`)
  const { text, data } = value as Given
  const silent = text === undefined || text === null
  if (typeof text !== 'string' && !(silent && data !== undefined)) return refuse(['text'], 'must be a string')
  for (const [part, read] of Object.entries(parts)) read(Reflect.get(value, part), [part], refuse)
  return typeof text === 'string' ? (value as JudgeModelResponse) : Object.freeze({ ...value, text: '' })
}

const parts: { readonly [part in 'model' | 'metadata' | 'usage' | 'costUsd']: Read<unknown> } = {
  model: optional(readText),
  metadata: optional(readRecord),
  usage: optional(readUsage),
  costUsd: optional(readAmount),
}

function refuse(place: Place, problem: string): never {
  const reason = `${dotted(place)} ${problem}`
  throw new JuristError(
    'response-invalid',
    `The model's answer cannot be used: ${reason}. A model resolves to { text } or { data }, with usage where known.`,
    { reason },
  )
}

/** The messages for a model. */
export interface RenderedPrompt {
  readonly messages: readonly ModelMessage[]
  /** The number in the marks around untrusted data, if any. It is new each time, so caches replace it. */
  readonly fence?: string
}

/** Writes the request for a judgment. `promptTemplate` creates one from a template. */
export type Prompt = (context: JudgmentContext) => RenderedPrompt | Promise<RenderedPrompt>

/** Turns the answer of a model into a judgment. An answer that it cannot read is an abstention, never a fail. */
export type Classify = (response: JudgeModelResponse, context: JudgmentContext) => Judgment | Promise<Judgment>

/** Nothing was found, or more than one answer. */
export type Unread = 'none' | 'ambiguous'

export function unreadable(unread: Unread, reasoning: string): AbstainJudgment {
  return abstain(reasoning, { metadata: { unread } })
}
