import type { JudgmentContext } from '../context.js'
import type { Judge } from '../judge.js'
import { abstain, type Judgment } from '../judgment.js'
import { checkModelBase, describeModelJudge, type ModelBase } from '../llm/judges/model-base.js'
import { described, option } from '../options.js'
import { claimsForm, claimsJudge, numberedVerdicts } from './claims.js'
import { expectedText, neededFacts, type RagFacts } from './rag-facts.js'

/** Options of `contextRecall`. */
export type ContextRecallOptions = ModelBase & { readonly threshold?: number }

const rules = {
  threshold: described(option.rate, 'The share of the expected claims that the context must support.', 1),
}

/**
 * Asks a model whether every claim of the expected answer was retrieved: one call splits the expected output of the
 * item into claims, a second one looks for each in the context. The score is the share of claims found. It judges the
 * retrieval, whatever the agent answered. Abstains without an expected output or a context; of several expected answers
 * the first counts. The measure is the context recall of RAGAS, after S. Es et al., EACL 2024.
 *
 * @param options `threshold` default 1: every claim
 * @returns a judge; a check for each claim, metadata `claims` and `supported`
 * @throws `option-invalid`, `name-invalid`
 *
 * @example
 * import { jury } from '@jurist/core'
 * import { contextRecall } from '@jurist/core/rag'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const model = scriptedModel('{"claims": ["Ada wrote it."]}', '{"verdicts": [{"claim": 1, "supported": "yes"}]}')
 * jury({ judges: { complete: contextRecall({ model }) } })
 */
export function contextRecall(options: ContextRecallOptions): Judge {
  const { threshold = 1, ...base } = checkModelBase('contextRecall', options, rules)
  return claimsJudge({
    base: { ...base, name: base.name ?? 'contextRecall' },
    threshold,
    where: 'contextRecall',
    factsOf: expectedFacts,
    naming: ({ question, answer: expected }) => ({
      ask: 'Take the expected answer apart into its claims: short sentences that each state one fact and are understood alone.',
      data: { question, expected },
      answer: `${claimsForm} An answer that states no fact has no claims.`,
    }),
    deciding: ({ question, context }, claims) => ({
      ask: 'Decide for each numbered claim whether the context says or implies it.',
      data: { question, context, claims },
    }),
    verdicts: numberedVerdicts('claim', 'supported'),
    shape: {
      data: ['question', 'context', 'claims'],
      needed: ['context', 'claims'],
      example: { input: 'question', context: 'context', output: 'claims' },
    },
    says: 'of the expected answer are supported by the context',
    key: 'supported',
    nothing: () => abstain('the expected output makes no claim'),
  })
}

/** The expected answer takes the place of the agent's. */
function expectedFacts(context: JudgmentContext): RagFacts | Judgment {
  const expected = expectedText(context)
  if (typeof expected !== 'string') return expected
  const facts = neededFacts(context, ['context'])
  return 'status' in facts ? facts : { ...facts, answer: expected }
}

describeModelJudge(contextRecall, 'a model finds the claims of the expected output in what was retrieved', rules)
