import { cascade, type Jury, jury, mustDecide } from 'jurist'
import type { JudgeModel } from 'jurist/llm'
import { contextualRelevance, faithfulness, hallucination } from 'jurist/rag'

/** Was the right thing found? Only then: does the answer keep to it? One call where nothing was found, else four. */
export function ragJury(model: JudgeModel): Jury {
  // Silence would open the gate: where relevance cannot be judged, nothing is decided.
  const retrieval = jury({ judges: { relevance: mustDecide(contextualRelevance({ model }), { as: 'error' }) } })
  const answer = jury({ judges: { faithful: faithfulness({ model }), sober: hallucination({ model }) } })
  return cascade([
    { name: 'retrieval', jury: retrieval, policy: 'reject-on-any-fail' },
    { name: 'answer', jury: answer, policy: 'final' },
  ])
}
