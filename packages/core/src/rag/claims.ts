import type { Json } from '../json.js'
import type { StandardSchema } from '../llm/classifiers/json.js'
import { schemaOf } from '../llm/judges/answer-schema.js'
import { prompted } from '../llm/judges/question.js'
import type { RenderedPrompt } from '../llm/prompt.js'
import { readList, readObject, readText } from '../read.js'
import type { RagFacts } from './rag-facts.js'

/** What an answer claims, one sentence each. */
export interface Claims {
  readonly claims: readonly string[]
}

export const claimsSchema: StandardSchema<Claims> = schemaOf(readObject<Claims>({ claims: readList(readText) }))

/** Asks for the claims of an answer. */
export function claimsPrompt({ question, answer }: RagFacts): RenderedPrompt {
  return prompted({
    ask: 'Take the answer apart into its claims: short sentences that each state one fact and are understood alone.',
    data: { question, answer },
    answer: 'Answer with JSON and nothing else: {"claims": [<text>, …]}. An answer that states no fact has no claims.',
  })
}

/** The form of that answer, for models that can be held to one. */
export const claimsResponse: Json = {
  type: 'object',
  properties: { claims: { type: 'array', items: { type: 'string' } } },
  required: ['claims'],
  additionalProperties: false,
}
