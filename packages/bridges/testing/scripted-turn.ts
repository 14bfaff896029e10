import type { Json, JsonObject, Usage } from '@jurist/core'

/** One tool that the scripted model calls. */
export interface ScriptedTool {
  readonly name: string
  /** The arguments. A string is sent unchanged, even if it is not JSON. */
  readonly input: Json | string
  /** A custom tool of the responses protocol, whose input is free text. */
  readonly custom?: boolean
  /** The group of tools that it belongs to, in the responses protocol. */
  readonly namespace?: string
}

/** One token of a scripted answer with its log-probability and the alternatives. */
export interface ScriptedLogprob {
  readonly token: string
  readonly logprob: number
  readonly top?: { readonly [token: string]: number }
}

/** What the scripted model answers to one request. */
export interface ScriptedTurn {
  readonly text?: string
  /**
   * The reason it stopped, in the words of the protocol (`length`, `content_filter`, `max_tokens`, `refusal`, …; for
   * responses the reason why it is incomplete). Default: it ended by itself, or with its tool calls.
   */
  readonly stop?: string
  readonly tools?: readonly ScriptedTool[]
  /** Sent where the request asked for log-probabilities. */
  readonly logprobs?: readonly ScriptedLogprob[]
  /** Default 200; anything else sends an error body. */
  readonly status?: number
  readonly headers?: { readonly [name: string]: string }
  /** Sent instead of the protocol's response. A string is sent unchanged, even if it is not JSON. */
  readonly body?: Json
  /** Milliseconds before the answer begins. */
  readonly delayMs?: number
  /** Milliseconds over which the body is sent in small pieces. */
  readonly trickleMs?: number
  /** Breaks the connection off. */
  readonly cut?: 'after-headers' | 'mid-stream'
}

/** One request that the scripted server was asked. */
export interface ScriptedRequest {
  readonly protocol: 'chat' | 'responses' | 'messages'
  /** With its query. */
  readonly path: string
  /** Its place among the requests, from 0. */
  readonly index: number
  readonly headers: { readonly [name: string]: string }
  readonly body: JsonObject
  /** The names of the tools that were offered. */
  readonly tools: readonly string[]
}

/** A request to an unknown path, or with a body that is not a JSON object. */
export interface UnexpectedRequest extends Omit<ScriptedRequest, 'protocol' | 'tools'> {
  readonly method: string
}

/** What the scripted server charges for every answer, in each protocol's own counting. */
export const scriptedUsage: Required<Usage> = Object.freeze({
  inputTokens: 100,
  outputTokens: 20,
  reasoningTokens: 5,
  cacheReadTokens: 40,
  cacheWriteTokens: 10,
  totalTokens: 120,
})

/** An answer in both forms: one JSON value, or the events of a stream. */
export interface ScriptedAnswer {
  readonly json: JsonObject
  readonly events: readonly ScriptedEvent[]
}
export interface ScriptedEvent {
  /** The `event:` line, where the protocol has one. */
  readonly name?: string
  readonly data: Json
}

/** A text in a few pieces, as a stream brings it; at least one. */
export function piecesOf(text: string): readonly string[] {
  const characters = [...text]
  const size = Math.max(1, Math.ceil(characters.length / 3))
  const starts = Array.from({ length: Math.max(1, Math.ceil(characters.length / size)) }, (_, index) => index * size)
  return starts.map((start) => characters.slice(start, start + size).join(''))
}

/** Arguments as the text that a model writes. */
export function argumentsText(input: Json): string {
  return typeof input === 'string' ? input : JSON.stringify(input)
}
