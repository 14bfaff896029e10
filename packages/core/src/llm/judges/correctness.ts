import type { JudgmentContext } from '../../context.js'
import type { Judge } from '../../judge.js'
import { withoutOutput } from '../../judges/output-text.js'
import { described, option } from '../../options.js'
import { passFail } from '../classifiers/labels.js'
import { scoreLine } from '../classifiers/score-line.js'
import type { RenderedPrompt } from '../model.js'
import { modelCalls } from '../model-calls.js'
import { checkModelBase, describeModelJudge, type ModelBase, modelled } from './model-base.js'
import {
  dataDescription,
  type Prompted,
  promptedBy,
  reasonsFirst,
  scoreAnswer,
  taskData,
  taskShape,
  yesOrNoAnswer,
} from './prompted.js'

const yesOrNo = `${reasonsFirst}: "Answer: YES" when the goal was met, "Answer: NO" when it was not.`
const outOfTen = `${reasonsFirst}, "Score: " and a number from 0 (the goal was missed) to 10 (it was met in full).`

/**
 * Asks a model whether the goal was met, by goal and output, and by the expected output and the reference data if there
 * are any. The answer is yes or no, or, with a `threshold`, a score from 0 to 10 that passes from the threshold on.
 * Without an output it fails without asking.
 *
 * @param options `threshold` within [0, 1], on the normalised score
 * @throws `option-invalid`, `name-invalid`
 *
 * @example
 * import { jury } from '@jurist/core'
 * import { correctness } from '@jurist/core/llm'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const model = scriptedModel('Answer: YES')
 * jury({ judges: { correct: correctness({ model }) } })
 */
export function correctness(options: ModelBase & { readonly threshold?: number }): Judge {
  const given = checkModelBase('correctness', options, rules)
  const { name = 'correctness', threshold } = given
  const answer = threshold === undefined ? yesOrNo : outOfTen
  const read = threshold === undefined ? passFail('YES', 'NO') : scoreLine({ passingAt: threshold })
  const prompted = promptedBy('correctness', given, threshold === undefined ? shape : { ...shape, ...tenthsAnswer })
  const calls = modelCalls({ ...given, name })
  const judge: Judge = (context) =>
    context.agentOutput === undefined
      ? withoutOutput()
      : calls.judge({ prompt: correctnessPrompt(context, answer, prompted), read }, context)
  return modelled(judge, { ...given, name })
}

const shape = { ...taskShape, ...yesOrNoAnswer }
const tenthsAnswer = scoreAnswer({ min: 0, max: 10 })
const rules = {
  threshold: described(option.rate, 'The lowest score, from 0 to 1, that passes. Default: yes or no is asked.'),
}

describeModelJudge(
  correctness,
  'a model says that the goal was met, by the expected output and the reference data where there are any',
  rules,
)

function correctnessPrompt(context: JudgmentContext, answer: string, prompted: Prompted): RenderedPrompt {
  const data = taskData(context)
  return prompted({ ask: `Did the agent meet the goal? ${dataDescription(data, context.expectedAnyOf)}`, data, answer })
}

const verifyLine = /^[ \t]*(?:[-*][ \t]+)?(?:\[[ xX]\][ \t]+)?VERIFY:(?<text>.*)$/gmu

/**
 * Returns the criteria of a plan: the text after `VERIFY:` on separate lines, which may be indented and may begin with
 * a list mark (`-`, `*`) and a checkbox. Leaves out blank criteria and repetitions, and keeps the order.
 *
 * @example
 * import { verifyLines } from '@jurist/core/llm'
 *
 * verifyLines('1. Move the parser\n- [ ] VERIFY: no caller imports the old path') // ['no caller imports the old path']
 */
export function verifyLines(plan: string): readonly string[] {
  const texts = [...plan.matchAll(verifyLine)].map(({ groups }) => (groups?.['text'] ?? '').trim())
  return Object.freeze([...new Set(texts.filter((text) => text !== ''))])
}
