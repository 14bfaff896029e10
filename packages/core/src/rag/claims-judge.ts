import type { JudgmentContext } from '../context.js'
import type { Judge } from '../judge.js'
import { withInfo } from '../judge.js'
import type { Judgment } from '../judgment.js'
import { abstain } from '../judgment.js'
import { json } from '../llm/classifiers/json.js'
import type { ModelBase } from '../llm/judges/model-base.js'
import type { Answer } from '../llm/judges/model-calls.js'
import { modelCalls } from '../llm/judges/model-calls.js'
import { supportOf, verdictsPrompt, verdictsResponse, verdictsSchema } from './claim-verdicts.js'
import { claimsPrompt, claimsResponse, claimsSchema } from './claims.js'
import { missingFact, ragFacts } from './rag-facts.js'

/** Two calls: what does the answer claim, and what does the context say to each claim? */
export function claimsJudge(options: ModelBase & { readonly name: string; readonly threshold: number }): Judge {
  const { name, threshold } = options
  const { ask, conclude } = modelCalls(options)
  const judge: Judge = async (context) => {
    const facts = ragFacts(context)
    const missing = missingFact(facts, ['context', 'answer'])
    if (missing !== undefined) return missing
    const first = await ask(claimsPrompt(facts), context, { options: { responseSchema: claimsResponse } })
    const { claims, otherwise } = await claimsIn(first, context)
    if (claims.length === 0) return conclude(context, [first], () => otherwise)
    const prompt = verdictsPrompt(facts, claims)
    const second = await ask(prompt, context, { options: { responseSchema: verdictsResponse } })
    const decide = json(verdictsSchema, (verdicts) => supportOf(verdicts, claims, threshold))
    return conclude(context, [first, second], ([, response]) =>
      response === undefined ? otherwise : decide(response, context),
    )
  }
  return withInfo(judge, { name, kind: 'model' })
}

/** The claims that were named, each in one line, and what to say when there are none. */
async function claimsIn(
  answer: Answer,
  context: JudgmentContext,
): Promise<{ readonly claims: readonly string[]; readonly otherwise: Judgment }> {
  let claims: readonly string[] = []
  const none = abstain('the answer makes no claim')
  const read = json(claimsSchema, (named) => {
    claims = named.claims.map((claim) => claim.trim().replace(/\s+/g, ' ')).filter((claim) => claim !== '')
    return none
  })
  return { otherwise: answer.ok ? await read(answer.response, context) : none, claims }
}
