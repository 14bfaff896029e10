import type { Judge } from '../judge.js'
import { describeJudge } from '../judge-description.js'
import { answerLine } from '../llm/classifiers/labels.js'
import { checkModelBase, type ModelBase, modelBaseOptions, modelled, withModelOf } from '../llm/judges/model-base.js'
import { type PromptShape, yesOrNoAnswer } from '../llm/judges/own-prompt.js'
import { promptedBy, reasonsFirst } from '../llm/judges/prompted.js'
import type { Classify, RenderedPrompt } from '../llm/model.js'
import { defaultAskAgain } from '../llm/model-call.js'
import { modelJudge } from '../llm/model-judge.js'
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
  const prompted = promptedBy('contextualRelevance', given, shape)
  return factJudge({
    base: { ...given, name: given.name ?? 'contextualRelevance' },
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

const shape: PromptShape = {
  data: ['question', 'context'],
  needed: ['question', 'context'],
  example: { input: 'question', context: 'context' },
  ...yesOrNoAnswer,
}

describeJudge<ModelBase>(contextualRelevance, {
  passes: 'a model says that what was retrieved is relevant to the question',
  options: modelBaseOptions,
  required: ['model'],
  make: (options, config) => contextualRelevance(withModelOf(options, config)),
})

interface FactJudge {
  readonly base: ModelBase & { readonly name: string }
  /** The facts without which there is nothing to ask, the first one missing named first. */
  readonly needed: readonly (keyof RagFacts)[]
  readonly prompt: (facts: RagFacts) => RenderedPrompt
  readonly classify: Classify
}

/** A judge that asks one question about the facts of an answer; where one is missing nothing is asked. */
export function factJudge({ base, needed, prompt, classify }: FactJudge): Judge {
  const { prompt: _, examples: __, askAgain = defaultAskAgain, ...rest } = base
  const asked = modelJudge({ ...rest, askAgain, classify, prompt: (context) => prompt(ragFacts(context)) })
  return modelled((context) => missingFact(ragFacts(context), needed) ?? asked(context), base)
}
