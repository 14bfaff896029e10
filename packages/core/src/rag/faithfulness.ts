import type { Judge } from '../judge.js'
import { abstain } from '../judgment.js'
import { answerLine } from '../llm/classifiers/labels.js'
import { checkModelBase, describeModelJudge, type ModelBase } from '../llm/judges/model-base.js'
import { type PromptShape, promptedBy, reasonsFirst, yesOrNoAnswer } from '../llm/judges/prompted.js'
import { described, option, optionInvalid } from '../options.js'
import { claimsForm, claimsJudge, numberedVerdicts } from './claims.js'
import { factJudge } from './contextual-relevance.js'
import { neededFacts } from './rag-facts.js'

/**
 * Asks a model whether the answer is faithful to the context: whether every claim in it is grounded there. In the mode
 * `claims` one call splits the answer into claims, a second one looks for support of each: the score is the share that
 * is supported. In the mode `single` one call decides, yes or no. Without a context it abstains, without an answer it
 * fails, and asks nothing. A custom `prompt` replaces that of the second call. The two steps are those of S. Es et al.,
 * "RAGAS: Automated Evaluation of Retrieval Augmented Generation", EACL 2024.
 *
 * @param options `mode` default `'claims'`; `threshold` (claims only) default 1: every claim
 * @returns a judge; in the mode `claims` a check for each claim, metadata `claims` and `supported`
 * @throws `option-invalid`, `name-invalid`
 *
 * @example
 * import { jury } from '@jurist/core'
 * import { faithfulness } from '@jurist/core/rag'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const model = scriptedModel('Answer: YES')
 * jury({ judges: { grounded: faithfulness({ model, threshold: 0.9 }) } })
 */
export function faithfulness(options: FaithfulnessOptions): Judge {
  const { mode = 'claims', threshold, ...base } = checkModelBase('faithfulness', options, rules)
  if (mode === 'single' && threshold !== undefined)
    optionInvalid('threshold', 'faithfulness: the mode "single" has no score. Leave "threshold" out.')
  const named = { ...base, name: base.name ?? 'faithfulness' }
  return mode === 'claims' ? byClaims(named, threshold ?? 1) : singleCall(named)
}

/** Options of `faithfulness`. */
export type FaithfulnessOptions = ModelBase & { readonly mode?: 'claims' | 'single'; readonly threshold?: number }

const rules = {
  mode: described(
    option.oneOf('claims', 'single'),
    'Whether each claim of the answer is looked at, in two calls, or the whole answer in one.',
    'claims',
  ),
  threshold: described(option.rate, 'With claims: the share of them that must be supported. Default: all.'),
}

describeModelJudge(faithfulness, 'a model finds the claims of the answer supported by what was retrieved', rules)

const shape: PromptShape = {
  data: ['question', 'context', 'answer'],
  needed: ['context', 'answer'],
  example: { input: 'question', context: 'context', output: 'answer' },
  ...yesOrNoAnswer,
}

function byClaims(base: ModelBase & { readonly name: string }, threshold: number): Judge {
  return claimsJudge({
    base,
    threshold,
    where: 'faithfulness',
    factsOf: (context) => neededFacts(context, ['context', 'answer']),
    naming: ({ question, answer }) => ({
      ask: 'Take the answer apart into its claims: short sentences that each state one fact and are understood alone.',
      data: { question, answer },
      answer: `${claimsForm} An answer that states no fact has no claims.`,
    }),
    deciding: ({ question, context }, claims) => ({
      ask: 'Decide for each numbered claim whether the context says or implies it.',
      data: { question, context, claims },
    }),
    verdicts: numberedVerdicts('claim', 'supported'),
    shape: claimsShape,
    says: 'are supported by the context',
    key: 'supported',
    nothing: () => abstain('the answer makes no claim'),
  })
}

const claimsShape = {
  data: ['question', 'context', 'claims'],
  needed: ['context', 'claims'],
  example: { input: 'question', context: 'context', output: 'claims' },
}

function singleCall(base: ModelBase & { readonly name: string }): Judge {
  const prompted = promptedBy('faithfulness', base, shape)
  return factJudge({
    base,
    needed: ['context', 'answer'],
    classify: answerLine(),
    prompt: ({ question, context, answer }) =>
      prompted({
        ask: 'Is every claim of the answer grounded in the context: does the context say or imply it?',
        data: { question, context, answer },
        answer: `${reasonsFirst}: "Answer: YES" when every claim is grounded, "Answer: NO" when one is not.`,
      }),
  })
}
