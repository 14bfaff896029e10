import type { Judge } from '../judge.js'
import { infoOf, withInfo } from '../judge.js'
import { defaultAskAgain } from '../llm/ask-again.js'
import type { Classify } from '../llm/classify.js'
import type { ModelBase } from '../llm/judges/model-base.js'
import { modelJudge } from '../llm/model-judge.js'
import type { RenderedPrompt } from '../llm/prompt.js'
import type { RagFacts } from './rag-facts.js'
import { missingFact, ragFacts } from './rag-facts.js'

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
  return withInfo(judge, infoOf(asked))
}
