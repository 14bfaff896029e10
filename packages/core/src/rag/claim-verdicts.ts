import type { Json } from '../json.js'
import type { Judgment } from '../judgment.js'
import { abstain, scored } from '../judgment.js'
import type { StandardSchema } from '../llm/classifiers/json.js'
import { schemaOf } from '../llm/judges/answer-schema.js'
import { prompted } from '../llm/judges/question.js'
import type { RenderedPrompt } from '../llm/prompt.js'
import { readCount, readList, readObject, readWord } from '../read.js'
import type { RagFacts } from './rag-facts.js'

interface ClaimVerdict {
  readonly claim: number
  readonly supported: 'yes' | 'no' | 'unclear'
}
/** What the context says to each claim. */
export interface ClaimVerdicts {
  readonly verdicts: readonly ClaimVerdict[]
}

export const verdictsSchema: StandardSchema<ClaimVerdicts> = schemaOf(
  readObject<ClaimVerdicts>({
    verdicts: readList(readObject<ClaimVerdict>({ claim: readCount(0), supported: readWord('yes', 'no', 'unclear') })),
  }),
)

/** Asks what the context says to each claim; the claims are fenced, for they are the words of the answer. */
export function verdictsPrompt({ question, context }: RagFacts, claims: readonly string[]): RenderedPrompt {
  return prompted({
    ask: 'Decide for each numbered claim whether the context says or implies it.',
    data: { question, context, claims: claims.map((claim, index) => `${index + 1}. ${claim}`).join('\n') },
    answer:
      'Answer with JSON and nothing else: {"verdicts": [{"claim": <its number>, "supported": "yes", "no" or "unclear"}, ' +
      '…]}, one entry for each claim.',
  })
}

/** The form of that answer, for models that can be held to one. */
export const verdictsResponse: Json = {
  type: 'object',
  properties: {
    verdicts: {
      type: 'array',
      items: {
        type: 'object',
        properties: { claim: { type: 'integer' }, supported: { type: 'string', enum: ['yes', 'no', 'unclear'] } },
        required: ['claim', 'supported'],
        additionalProperties: false,
      },
    },
  },
  required: ['verdicts'],
  additionalProperties: false,
}

/**
 * The judgment by the share of claims that are supported; an abstention unless each claim has exactly one verdict. Claims are
 * numbered from 1; a model that counts them all from 0 is understood too.
 */
export function supportOf({ verdicts }: ClaimVerdicts, claims: readonly string[], threshold: number): Judgment {
  const byNumber = new Map(verdicts.map(({ claim, supported }) => [claim, supported]))
  const first = [1, 0].find((from) => claims.every((_, index) => byNumber.has(index + from)))
  if (first === undefined || verdicts.length !== claims.length)
    return abstain('the claims do not have one verdict each', { metadata: { claims: claims.length, unread: 'none' } })
  const checks = claims.map((message, index) => {
    return { name: `claim-${index + 1}`, passed: byNumber.get(index + first) === 'yes', message }
  })
  const supported = checks.filter(({ passed }) => passed).length
  const metadata = { claims: claims.length, supported }
  const reasoning = `${supported} of ${claims.length} claims are supported by the context`
  return scored(supported / claims.length, { passingAt: threshold, reasoning, checks, metadata })
}
