import type { Judge } from '../judge.js'
import { answerLine } from '../llm/classifiers/labels.js'
import type { ModelBase } from '../llm/judges/model-base.js'
import { checkModelBase } from '../llm/judges/model-base.js'
import { prompted, reasonsFirst } from '../llm/judges/question.js'
import { factJudge } from './fact-judge.js'

/**
 * Asks a model whether what was retrieved is relevant to the question: whether it holds what an answer needs. Abstains,
 * without a call, when there is no context or no question.
 *
 * @throws `option-invalid`, `name-invalid`
 *
 * @example
 * jury({ judges: { relevance: contextualRelevance({ model }) } })
 */
export function contextualRelevance(options: ModelBase): Judge {
  const given = checkModelBase('contextualRelevance', options, {})
  return factJudge({
    ...given,
    name: given.name ?? 'contextualRelevance',
    needed: ['context', 'question'],
    classify: answerLine(),
    prompt: ({ question, context }) =>
      prompted({
        ask: 'Is the context relevant to the question: does it hold what is needed to answer it?',
        data: { question, context },
        answer: `${reasonsFirst}: "Answer: YES" when the context is relevant, "Answer: NO" when it is not.`,
      }),
  })
}
