import type { Json, Usage } from '@jurist/core'
import type {
  JudgeModelRequest,
  JudgeModelResponse,
  ModelMessage,
  ModelOptions,
  TokenAlternative,
  TokenLogprob,
} from '@jurist/core/llm'
import { isList, type Look } from '../context/safe-reader.js'
import { toJson } from '../context/to-json.js'
import { secretsIn, withoutSecrets } from './secrets.js'

/** The messages with the schema of the answer appended to the last one of the user, for models that know no schema. */
export function withSchema(messages: readonly ModelMessage[], schema: Json): readonly ModelMessage[] {
  const asked = `Answer with one JSON value that keeps this JSON Schema, and with nothing else:\n${JSON.stringify(schema)}`
  const last = messages.findLastIndex(({ role }) => role === 'user')
  if (last < 0) return [...messages, { role: 'user', content: asked }]
  return messages.map((message, index) =>
    index === last ? { ...message, content: `${message.content}\n\n${asked}` } : message,
  )
}

/** The text of a structured answer as data, a fence of code around it taken off; `undefined` when it is no JSON. */
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
 * The messages of a request as one prompt, for agents, which take only one: a single message as it is, several under
 * headings of their roles.
 *
 * @param schemaInPrompt whether a schema of the answer is put into the prompt. Default true
 *
 * @example
 * onePrompt(userRequest('Say hello.')) // 'Say hello.'
 */
export function onePrompt({ messages, options }: JudgeModelRequest, schemaInPrompt = true): string {
  const { responseSchema } = options
  const all = responseSchema === undefined || !schemaInPrompt ? messages : withSchema(messages, responseSchema)
  const [only, ...more] = all
  if (only === undefined || more.length === 0) return only?.content ?? ''
  return all.map(({ role, content }) => `# ${headings[role]}\n\n${content}`).join('\n\n')
}

/** A warning for each setting that a request makes and a model cannot be told. */
export function unsupported(options: ModelOptions, unknown: readonly (keyof ModelOptions)[]): readonly string[] {
  return unknown.flatMap((setting) => (options[setting] === undefined ? [] : [`unsupported: ${setting}`]))
}

/**
 * The log-probabilities of an answer, as chat completions spell them; `undefined` when there are none. A token whose text
 * or number is malformed is left out.
 */
export function logprobsIn(content: Look): readonly TokenLogprob[] | undefined {
  const tokens = flatList(content).flatMap((token) => {
    const [alternative] = alternativeIn(token)
    if (alternative === undefined) return []
    return [
      Object.freeze({ ...alternative, top: Object.freeze(token.get('top_logprobs').list().flatMap(alternativeIn)) }),
    ]
  })
  return tokens.length === 0 ? undefined : Object.freeze(tokens)
}

/** The responses protocol has a list of tokens for each part of the text. */
function flatList(content: Look): readonly Look[] {
  return content.list().flatMap((token) => (isList(token.value) ? token.list() : [token]))
}

function alternativeIn(look: Look): readonly TokenAlternative[] {
  const token = look.get('token').text()
  const logprob = look.get('logprob').number()
  return token === undefined || logprob === undefined ? [] : [Object.freeze({ token, logprob })]
}

/** The parts of a model's answer; what is `undefined` is not known. */
export interface ResponseParts {
  readonly text: string
  readonly data?: Json | undefined
  readonly model?: string | undefined
  readonly usage?: Usage | undefined
  readonly costUsd?: number | undefined
  readonly logprobs?: readonly TokenLogprob[] | undefined
  /** Replaced by `***` in the metadata, those of 8 characters and more. Default: none. */
  readonly secrets?: readonly string[]
  /** Unknown entries and empty lists are left out. */
  readonly metadata: { readonly [key: string]: unknown }
}

/** A model's answer of its parts, frozen, without the keys that are not known. */
export function modelResponse({ metadata, secrets = [], ...parts }: ResponseParts): JudgeModelResponse {
  const known = Object.entries(parts).filter(([, part]) => part !== undefined)
  const told = Object.entries(metadata).filter(([, entry]) => !(Array.isArray(entry) && entry.length === 0))
  return Object.freeze({
    ...Object.fromEntries(known),
    metadata: withoutSecrets(toJson(Object.fromEntries(told)), secretsIn(undefined, ...secrets)),
  }) as JudgeModelResponse
}
