import type { Json, JsonObject, Usage } from '@jurist/core'

export interface ScriptedTool {
  readonly name: string
  /** A string is sent unchanged, even if it is not JSON. */
  readonly input: Json | string
  /** A custom tool of the responses protocol, whose input is free text. */
  readonly custom?: boolean
  /** The group of the tool, in the responses protocol. */
  readonly namespace?: string
}

export interface ScriptedLogprob {
  readonly token: string
  readonly logprob: number
  readonly top?: { readonly [token: string]: number }
}

/** The answer of the scripted model to one request. */
export interface ScriptedTurn {
  readonly text?: string
  /**
   * The stop reason in the words of the protocol (`length`, `content_filter`, `max_tokens`, `refusal`, …; for responses
   * the reason why it is incomplete). Default: the answer is complete, or ends with its tool calls.
   */
  readonly stop?: string
  readonly tools?: readonly ScriptedTool[]
  /** Sent only if the request asks for log-probabilities. */
  readonly logprobs?: readonly ScriptedLogprob[]
  /** Default 200; any other status sends an error body. */
  readonly status?: number
  readonly headers?: { readonly [name: string]: string }
  /** Sent instead of the protocol's response. A string is sent unchanged, even if it is not JSON. */
  readonly body?: Json
  /** The time before the answer begins, in milliseconds. */
  readonly delayMs?: number
  /** The time over which the body is sent in small pieces, in milliseconds. */
  readonly trickleMs?: number
  /** Where the connection breaks off. */
  readonly cut?: 'after-headers' | 'mid-stream'
}

export interface ScriptedRequest {
  readonly protocol: 'chat' | 'responses' | 'messages'
  /** Includes the query. */
  readonly path: string
  /** From 0, in order of arrival. */
  readonly index: number
  readonly headers: { readonly [name: string]: string }
  readonly body: JsonObject
  /** The names of the tools in the request. */
  readonly tools: readonly string[]
}

/** A request to an unknown path, or with a body that is not a JSON object. */
export interface UnexpectedRequest extends Omit<ScriptedRequest, 'protocol' | 'tools'> {
  readonly method: string
}

/** The charge for every answer. Each protocol counts it in its own way. */
export const scriptedUsage: Required<Usage> = Object.freeze({
  inputTokens: 100,
  outputTokens: 20,
  reasoningTokens: 5,
  cacheReadTokens: 40,
  cacheWriteTokens: 10,
  totalTokens: 120,
})

/** One JSON value, or the events of a stream. */
export interface ScriptedAnswer {
  readonly json: JsonObject
  readonly events: readonly ScriptedEvent[]
}
export interface ScriptedEvent {
  /** The `event:` line, where the protocol has one. */
  readonly name?: string
  readonly data: Json
}

/** In a few pieces, as a stream sends it; at least one. */
export function piecesOf(text: string): readonly string[] {
  const characters = [...text]
  const size = Math.max(1, Math.ceil(characters.length / 3))
  const starts = Array.from({ length: Math.max(1, Math.ceil(characters.length / size)) }, (_, index) => index * size)
  return starts.map((start) => characters.slice(start, start + size).join(''))
}

/** As a model writes them. */
export function argumentsText(input: Json): string {
  return typeof input === 'string' ? input : JSON.stringify(input)
}
