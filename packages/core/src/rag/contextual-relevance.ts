import type { Judge } from '../judge.js'
import { answerLine } from '../llm/classifiers/labels.js'
import { checkModelBase, describeModelJudge, type ModelBase, modelled } from '../llm/judges/model-base.js'
import { type PromptShape, promptedBy, reasonsFirst, yesOrNoAnswer } from '../llm/judges/prompted.js'
import type { Classify, RenderedPrompt } from '../llm/model.js'
import { modelCalls } from '../llm/model-calls.js'
import { missingFact, type RagFacts, ragFacts } from './rag-facts.js'

/**
 * Asks a model whether the retrieved text is relevant to the question: whether it contains what an answer needs.
 * Abstains without asking when there is no context or no question.
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

describeModelJudge(contextualRelevance, 'a model says that what was retrieved is relevant to the question')

interface FactJudge {
  readonly base: ModelBase & { readonly name: string }
  /** The required facts. The first missing one is named in the judgment. */
  readonly needed: readonly (keyof RagFacts)[]
  readonly prompt: (facts: RagFacts) => RenderedPrompt
  readonly classify: Classify
}

/** Asks nothing where a fact is missing. */
export function factJudge({ base, needed, prompt, classify }: FactJudge): Judge {
  const calls = modelCalls(base)
  const judge: Judge = (context) => {
    const facts = ragFacts(context)
    return missingFact(facts, needed) ?? calls.judge({ prompt: prompt(facts), read: classify }, context)
  }
  return modelled(judge, base)
}
