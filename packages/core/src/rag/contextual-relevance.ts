import { infoOf, type Judge, withInfo } from '../judge.js'
import { answerLine } from '../llm/classifiers/labels.js'
import { checkModelBase, type ModelBase, prompted, reasonsFirst } from '../llm/judges/model-base.js'
import type { Classify, RenderedPrompt } from '../llm/model.js'
import { defaultAskAgain } from '../llm/model-call.js'
import { modelJudge } from '../llm/model-judge.js'
import { callsModelsOf } from '../models-used.js'
import { missingFact, type RagFacts, ragFacts } from './rag-facts.js'

/**
 * Asks a model whether what was retrieved is relevant to the question: whether it holds what an answer needs. Abstains,
 * without a call, when there is no context or no question.
 *
 * @throws `option-invalid`, `name-invalid`
 *
 * @example
 * import { jury } from '@jurist/core'
 * import { contextualRelevance } from '@jurist/core/rag'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const model = scriptedModel('Answer: YES')
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

interface FactJudgeOptions extends ModelBase {
  readonly name: string
  /** The facts without which there is nothing to ask, the first one missing named first. */
  readonly needed: readonly (keyof RagFacts)[]
  readonly prompt: (facts: RagFacts) => RenderedPrompt
  readonly classify: Classify
}

/** A judge that asks one question about the facts of an answer; where one is missing nothing is asked. */
export function factJudge({ needed, prompt, askAgain = defaultAskAgain, ...rest }: FactJudgeOptions): Judge {
  const asked = modelJudge({ ...rest, askAgain, prompt: (context) => prompt(ragFacts(context)) })
  const judge: Judge = (context) => missingFact(ragFacts(context), needed) ?? asked(context)
  return callsModelsOf(withInfo(judge, infoOf(asked)), [asked])
}
