import type { Json, Usage } from '@jurist/core'
import type { JudgeModelRequest, JudgeModelResponse, ModelMessage, ModelOptions, TokenLogprob } from '@jurist/core/llm'
import { isReadableArray, type SafeReader } from '../context/safe-reader.js'
import { toJson } from '../context/to-json.js'
import { secretsIn, withoutSecrets } from './secrets.js'

/** For models without structured output. */
export function withSchema(messages: readonly ModelMessage[], schema: Json): readonly ModelMessage[] {
  const asked = `Answer with one JSON value that keeps this JSON Schema, and with nothing else:\n${JSON.stringify(schema)}`
  const last = messages.findLastIndex(({ role }) => role === 'user')
  if (last < 0) return [...messages, { role: 'user', content: asked }]
  return messages.map((message, index) =>
    index === last ? { ...message, content: `${message.content}\n\n${asked}` } : message,
  )
}

/** Accepts a code fence around the data; `undefined` if it is not JSON. */
export function dataIn(text: string): Json | undefined {
  const [, fenced] = /^\s*```\w*\n([\s\S]*?)\n?```\s*$/.exec(text) ?? []
  try {
    return toJson(JSON.parse(fenced ?? text), { maxText: Number.POSITIVE_INFINITY })
  } catch {
    return undefined
  }
}

const headings: { readonly [role in ModelMessage['role']]: string } = {
  system: 'System',
  user: 'User',
  assistant: 'Assistant',
}

/**
 * For agents: a single message unchanged, several with their roles as headings.
 *
 * @param schemaInPrompt whether the response schema is added to the prompt. Default true
 */
export function onePrompt({ messages, options }: JudgeModelRequest, schemaInPrompt = true): string {
  const { responseSchema } = options
  const all = responseSchema === undefined || !schemaInPrompt ? messages : withSchema(messages, responseSchema)
  const [only, ...more] = all
  if (only === undefined || more.length === 0) return only?.content ?? ''
  return all.map(({ role, content }) => `# ${headings[role]}\n\n${content}`).join('\n\n')
}

/** Returns a warning for each unsupported setting. */
export function unsupported(options: ModelOptions, unknown: readonly (keyof ModelOptions)[]): readonly string[] {
  return unknown.flatMap((setting) => (options[setting] === undefined ? [] : [`unsupported: ${setting}`]))
}

/** In the format of chat completions; `undefined` if there are none. Malformed tokens are left out. */
export function logprobsIn(content: SafeReader): readonly TokenLogprob[] | undefined {
  const tokens = flatList(content).flatMap((token) => {
    const [alternative] = alternativeIn(token)
    if (alternative === undefined) return []
    return [
      Object.freeze({ ...alternative, top: Object.freeze(token.get('top_logprobs').array().flatMap(alternativeIn)) }),
    ]
  })
  return tokens.length === 0 ? undefined : Object.freeze(tokens)
}

/** The responses protocol has an array of tokens for each part of the text. */
function flatList(content: SafeReader): readonly SafeReader[] {
  return content.array().flatMap((token) => (isReadableArray(token.value) ? token.array() : [token]))
}

function alternativeIn(reader: SafeReader): TokenLogprob['top'] {
  const token = reader.get('token').string()
  const logprob = reader.get('logprob').number()
  return token === undefined || logprob === undefined ? [] : [Object.freeze({ token, logprob })]
}

/** `undefined` parts are unknown. */
export interface ResponseParts {
  readonly text: string
  readonly data?: Json | undefined
  readonly model?: string | undefined
  readonly usage?: Usage | undefined
  readonly costUsd?: number | undefined
  readonly logprobs?: readonly TokenLogprob[] | undefined
  /** Values of at least 8 characters that are replaced by `***` in the metadata. Default: none. */
  readonly secrets?: readonly string[]
  /** `undefined` entries and empty arrays are left out. */
  readonly metadata: { readonly [key: string]: unknown }
}

/** Frozen, without unknown parts. */
export function modelResponse({ metadata, secrets = [], ...parts }: ResponseParts): JudgeModelResponse {
  const known = Object.entries(parts).filter(([, part]) => part !== undefined)
  const entries = Object.entries(metadata).filter(([, entry]) => !(Array.isArray(entry) && entry.length === 0))
  return Object.freeze({
    ...Object.fromEntries(known),
    metadata: withoutSecrets(toJson(Object.fromEntries(entries)), secretsIn(undefined, ...secrets)),
  }) as JudgeModelResponse
}
