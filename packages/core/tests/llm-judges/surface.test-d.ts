import type { Judge } from '@jurist/core'
import {
  agentJudge,
  correctness,
  criteria,
  gEval,
  type JudgeModel,
  pairwise,
  rubric,
  semanticDiff,
} from '@jurist/core/llm'
import { contextualRelevance, faithfulness, hallucination, type RagFacts, ragFacts, ragKeys } from '@jurist/core/rag'
import { aContext } from '@jurist/core/testing'
import { expectTypeOf } from 'vitest'

declare const model: JudgeModel

expectTypeOf(correctness({ model, threshold: 0.5 })).toEqualTypeOf<Judge>()
expectTypeOf(gEval({ model, criteria: 'x', scale: { min: 1, max: 5 } })).toEqualTypeOf<Judge>()
expectTypeOf(pairwise({ model, baseline: ({ goal }) => goal })).toEqualTypeOf<Judge>()
expectTypeOf(rubric({ model, criteria: [{ name: 'a', description: 'b' }] })).toEqualTypeOf<Judge>()
expectTypeOf(semanticDiff({ model })).toEqualTypeOf<Judge>()
expectTypeOf(agentJudge({ agent: () => ({ status: 'completed' }), criteria: 'x' })).toEqualTypeOf<Judge>()
expectTypeOf(contextualRelevance({ model })).toEqualTypeOf<Judge>()
expectTypeOf(hallucination({ model })).toEqualTypeOf<Judge>()
expectTypeOf(ragFacts(aContext())).toEqualTypeOf<RagFacts>()
expectTypeOf(ragKeys.context).toEqualTypeOf<'rag.context'>()

// @ts-expect-error: a judge by a model needs one
correctness({})
// @ts-expect-error: a criterion is needed
criteria({ model })
// @ts-expect-error: there is no such mode
faithfulness({ model, mode: 'both' })
// @ts-expect-error: a tie is pass, fail or abstain
pairwise({ model, ties: 'win' })
