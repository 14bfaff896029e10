import { readCount, readList, readObject, readText, readWord } from '../decoders.js'
import type { Json } from '../json.js'
import type { Judge } from '../judge.js'
import { abstain, type Judgment, pass, scored } from '../judgment.js'
import { json } from '../llm/classifiers/json.js'
import { type ModelBase, modelled, schemaOf } from '../llm/judges/model-base.js'
import { modelCalls } from '../llm/judges/model-calls.js'
import type { PromptShape } from '../llm/judges/own-prompt.js'
import { type Prompted, prompted, promptedBy } from '../llm/judges/prompted.js'
import type { RenderedPrompt } from '../llm/model.js'
import type { StandardSchema } from '../standard-schema.js'
import { missingFact, type RagFacts, ragFacts } from './rag-facts.js'

/** What an answer claims, one sentence each. */
interface Claims {
  readonly claims: readonly string[]
}

const claimsSchema: StandardSchema<Claims> = schemaOf(readObject<Claims>({ claims: readList(readText) }))

/** Asks for the claims of an answer. */
function claimsPrompt({ question, answer }: RagFacts): RenderedPrompt {
  return prompted({
    ask: 'Take the answer apart into its claims: short sentences that each state one fact and are understood alone.',
    data: { question, answer },
    answer: 'Answer with JSON and nothing else: {"claims": [<text>, …]}. An answer that states no fact has no claims.',
  })
}

/** The form of that answer, for models that can be held to one. */
const claimsResponse: Json = {
  type: 'object',
  properties: { claims: { type: 'array', items: { type: 'string' } } },
  required: ['claims'],
  additionalProperties: false,
}

interface ClaimVerdict {
  readonly claim: number
  readonly supported: 'yes' | 'no' | 'unclear'
}
/** What the context says to each claim. */
interface ClaimVerdicts {
  readonly verdicts: readonly ClaimVerdict[]
}

const verdictsSchema: StandardSchema<ClaimVerdicts> = schemaOf(
  readObject<ClaimVerdicts>({
    verdicts: readList(readObject<ClaimVerdict>({ claim: readCount(0), supported: readWord('yes', 'no', 'unclear') })),
  }),
)

/** Asks what the context says to each claim; the claims are fenced, for they are the words of the answer. */
function verdictsPrompt(
  { question, context }: RagFacts,
  claims: readonly string[],
  prompted: Prompted,
): RenderedPrompt {
  return prompted({
    ask: 'Decide for each numbered claim whether the context says or implies it.',
    data: { question, context, claims: claims.map((claim, index) => `${index + 1}. ${claim}`).join('\n') },
    answer:
      'Answer with JSON and nothing else: {"verdicts": [{"claim": <its number>, "supported": "yes", "no" or "unclear"}, ' +
      '…]}, one entry for each claim.',
  })
}

/** An example is one claim, with what the context says to it. */
const shape: PromptShape = {
  data: ['question', 'context', 'claims'],
  needed: ['context', 'claims'],
  example: { input: 'question', context: 'context', output: 'claims' },
  verdicts: '"pass" or "fail"',
  answer: (verdict) => {
    const supported = verdict === 'pass' ? 'yes' : verdict === 'fail' ? 'no' : undefined
    return supported && JSON.stringify({ verdicts: [{ claim: 1, supported }] })
  },
}

/** The form of that answer, for models that can be held to one. */
const verdictsResponse: Json = {
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
function supportOf({ verdicts }: ClaimVerdicts, claims: readonly string[], threshold: number): Judgment {
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

/** Two calls: what does the answer claim, and what does the context say to each claim? */
export function claimsJudge(options: ModelBase & { readonly name: string; readonly threshold: number }): Judge {
  const { threshold } = options
  const { ask, askUntilRead, conclude } = modelCalls(options)
  const prompted = promptedBy('faithfulness', options, shape)
  const judge: Judge = async (context) => {
    const facts = ragFacts(context)
    const missing = missingFact(facts, ['context', 'answer'])
    if (missing !== undefined) return missing
    let claims: readonly string[] = []
    const readClaims = json(claimsSchema, (named) => {
      claims = named.claims.map((claim) => claim.trim().replace(/\s+/g, ' ')).filter((claim) => claim !== '')
      // A pass, so it must be the last word: a quoted list does not count.
      return pass('the claims were named')
    })
    const naming = { prompt: claimsPrompt(facts), read: readClaims, options: { responseSchema: claimsResponse } }
    const { asked, read } = await askUntilRead(naming, context)
    const unread = read?.judgment.status === 'abstain' ? read.judgment : undefined
    const otherwise = unread ?? abstain('the answer makes no claim')
    if (unread !== undefined || claims.length === 0)
      return conclude(context, [], () => ({ judgment: otherwise }), asked)
    const decide = json(verdictsSchema, (verdicts) => supportOf(verdicts, claims, threshold))
    const prompt = verdictsPrompt(facts, claims, prompted)
    const second = await ask({ prompt, read: decide, options: { responseSchema: verdictsResponse } }, context)
    return conclude(context, [second], ([answer]) => ({ judgment: answer?.judgment ?? otherwise }), asked)
  }
  return modelled(judge, options)
}
