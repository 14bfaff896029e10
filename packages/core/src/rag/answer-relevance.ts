import type { Judge } from '../judge.js'
import { fail } from '../judgment.js'
import { checkModelBase, describeModelJudge, type ModelBase } from '../llm/judges/model-base.js'
import { described, option } from '../options.js'
import { claimsForm, claimsJudge, numberedVerdicts } from './claims.js'
import { neededFacts } from './rag-facts.js'

/** Options of `answerRelevance`. */
export type AnswerRelevanceOptions = ModelBase & { readonly threshold?: number }

const rules = { threshold: described(option.rate, 'The share of statements that must be relevant.', 0.5) }

/**
 * Asks a model whether the answer addresses the question: one call splits the answer into statements, a second one
 * decides which of them help to answer. The score is their share. It does not measure truth: pair it with
 * `faithfulness` or `matchesExpected`. An answer without a statement fails, and so does one that only evades. Abstains
 * without a question. The criterion is that of S. Es et al., "RAGAS: Automated Evaluation of Retrieval Augmented
 * Generation", EACL 2024, and J. Saad-Falcon et al., "ARES", NAACL 2024; statements are counted instead of the
 * similarity of generated questions, so that no vectors are needed.
 *
 * @param options `threshold` default 0.5
 * @returns a judge; a check for each statement, metadata `claims` and `relevant`
 * @throws `option-invalid`, `name-invalid`
 *
 * @example
 * import { jury } from '@jurist/core'
 * import { answerRelevance } from '@jurist/core/rag'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const model = scriptedModel('{"claims": ["Ada wrote it."]}', '{"verdicts": [{"statement": 1, "relevant": "yes"}]}')
 * jury({ judges: { relevant: answerRelevance({ model, threshold: 0.8 }) } })
 */
export function answerRelevance(options: AnswerRelevanceOptions): Judge {
  const { threshold = 0.5, ...base } = checkModelBase('answerRelevance', options, rules)
  return claimsJudge({
    base: { ...base, name: base.name ?? 'answerRelevance' },
    threshold,
    where: 'answerRelevance',
    factsOf: (context) => neededFacts(context, ['question', 'answer']),
    naming: ({ question, answer }) => ({
      ask:
        'Take the answer apart into its statements: short sentences that each say one thing and are understood alone. ' +
        'Refusals, evasions and asides are statements too.',
      data: { question, answer },
      answer: claimsForm,
    }),
    deciding: ({ question }, claims) => ({
      ask: 'Decide for each numbered statement whether it helps to answer the question, be it true or not.',
      data: { question, claims },
    }),
    verdicts: numberedVerdicts('statement', 'relevant'),
    shape: {
      data: ['question', 'claims'],
      needed: ['question', 'claims'],
      example: { input: 'question', output: 'claims' },
    },
    says: 'are relevant to the question',
    key: 'relevant',
    nothing: () => fail('the answer states nothing', { score: 0 }),
  })
}

describeModelJudge(answerRelevance, 'a model finds the statements of the answer relevant to the question', rules)
