import type { Judge } from '../judge.js'
import { withInfo } from '../judge.js'
import { abstain, pass } from '../judgment.js'
import { json } from '../llm/classifiers/json.js'
import type { ModelBase } from '../llm/judges/model-base.js'
import { modelCalls } from '../llm/judges/model-calls.js'
import { supportOf, verdictsPrompt, verdictsResponse, verdictsSchema } from './claim-verdicts.js'
import { claimsPrompt, claimsResponse, claimsSchema } from './claims.js'
import { missingFact, ragFacts } from './rag-facts.js'

/** Two calls: what does the answer claim, and what does the context say to each claim? */
export function claimsJudge(options: ModelBase & { readonly name: string; readonly threshold: number }): Judge {
  const { name, threshold } = options
  const { ask, askUntilRead, conclude } = modelCalls(options)
  const judge: Judge = async (context) => {
    const facts = ragFacts(context)
    const missing = missingFact(facts, ['context', 'answer'])
    if (missing !== undefined) return missing
    let claims: readonly string[] = []
    const readClaims = json(claimsSchema, (named) => {
      claims = named.claims.map((claim) => claim.trim().replace(/\s+/g, ' ')).filter((claim) => claim !== '')
      // A pass, so that it must be the last word: a list that is quoted is none.
      return pass('the claims were named')
    })
    const naming = { prompt: claimsPrompt(facts), read: readClaims, options: { responseSchema: claimsResponse } }
    const { asked, read } = await askUntilRead(naming, context)
    const unread = read?.judgment.status === 'abstain' ? read.judgment : undefined
    const otherwise = unread ?? abstain('the answer makes no claim')
    if (unread !== undefined || claims.length === 0)
      return conclude(context, [], () => ({ judgment: otherwise }), asked)
    const decide = json(verdictsSchema, (verdicts) => supportOf(verdicts, claims, threshold))
    const prompt = verdictsPrompt(facts, claims)
    const second = await ask({ prompt, read: decide, options: { responseSchema: verdictsResponse } }, context)
    return conclude(context, [second], ([answer]) => ({ judgment: answer?.judgment ?? otherwise }), asked)
  }
  return withInfo(judge, { name, kind: 'model' })
}
