import type { Judge } from '../judge.js'
import { abstain, type Judgment, scored } from '../judgment.js'
import { checkModelBase, describeModelJudge, type ModelBase, modelled } from '../llm/judges/model-base.js'
import type { PromptShape } from '../llm/judges/prompted.js'
import { promptedBy } from '../llm/judges/prompted.js'
import { modelCalls } from '../llm/model-calls.js'
import { described, option } from '../options.js'
import { numbered, numberedVerdicts } from './claims.js'
import { expectedText, ragFacts, retrievedTexts } from './rag-facts.js'

/** Options of `contextPrecision`. */
export type ContextPrecisionOptions = ModelBase & { readonly threshold?: number }

const rules = { threshold: described(option.rate, 'The lowest average precision that passes.', 0.5) }
const verdicts = numberedVerdicts('source', 'useful')

const shape: PromptShape = {
  data: ['question', 'expected', 'sources'],
  needed: ['expected', 'sources'],
  example: { input: 'question', context: 'sources', output: 'expected' },
  ...verdicts.example,
}

/**
 * Asks a model, in one call, which of the retrieved texts contain something that the expected output of the item needs.
 * The score is the average precision (C. D. Manning et al., "Introduction to Information Retrieval", 2008, chapter 8)
 * over their order: 1 where the useful ones come first, less the later they come, 0 where none is useful. It is the
 * context precision of RAGAS. A text that was retrieved twice counts once. It judges the retrieval, whatever the agent
 * answered. Abstains without an expected output or retrieved texts; of several expected answers the first counts.
 *
 * @param options `threshold` default 0.5
 * @returns a judge; a check for each text, metadata `sources` and `useful`
 * @throws `option-invalid`, `name-invalid`
 *
 * @example
 * import { jury } from '@jurist/core'
 * import { contextPrecision } from '@jurist/core/rag'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const model = scriptedModel('{"verdicts": [{"source": 1, "useful": "yes"}, {"source": 2, "useful": "no"}]}')
 * jury({ judges: { precise: contextPrecision({ model }) } })
 */
export function contextPrecision(options: ContextPrecisionOptions): Judge {
  const { threshold = 0.5, ...given } = checkModelBase('contextPrecision', options, rules)
  const base = { ...given, name: given.name ?? 'contextPrecision' }
  const calls = modelCalls(base)
  const prompted = promptedBy('contextPrecision', base, shape)
  const judge: Judge = async (context) => {
    const expected = expectedText(context)
    if (typeof expected !== 'string') return expected
    const sources = retrievedTexts(context)
    if (sources.length === 0) return abstain('there is no context to judge by')
    const prompt = prompted({
      ask: 'Decide for each numbered source whether it holds something that is needed to give the expected answer.',
      data: { question: ragFacts(context).question, expected, sources: numbered(sources) },
      answer: verdicts.form,
    })
    const read = verdicts.reader(sources.length, (useful) => precisionOf(useful, threshold))
    return calls.judge({ prompt, read, options: { responseSchema: verdicts.response } }, context)
  }
  return modelled(judge, { ...base, threshold: options.threshold })
}

describeModelJudge(contextPrecision, 'a model finds the useful ones among the retrieved texts first', rules)

function precisionOf(useful: readonly boolean[], threshold: number): Judgment {
  const count = useful.filter((one) => one).length
  const score = averagePrecision(useful)
  const checks = useful.map((passed, index) => ({ name: `source-${index + 1}`, passed, message: '' }))
  const reasoning = `${count} of ${useful.length} sources are useful, average precision ${score.toFixed(2)}`
  const metadata = { sources: useful.length, useful: count }
  return scored(score, { passingAt: threshold, reasoning, checks, metadata })
}

/** The mean, over the useful entries, of the share of useful ones up to there; 0 where none is useful. */
function averagePrecision(useful: readonly boolean[]): number {
  const precisions = useful.flatMap((one, index) =>
    one ? [useful.slice(0, index + 1).filter((other) => other).length / (index + 1)] : [],
  )
  return precisions.length === 0 ? 0 : precisions.reduce((sum, one) => sum + one, 0) / precisions.length
}
