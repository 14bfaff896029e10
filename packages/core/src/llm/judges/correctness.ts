import type { JudgmentContext } from '../../context.js'
import type { Judge } from '../../judge.js'
import { option } from '../../options.js'
import { defined } from '../../read.js'
import { defaultAskAgain } from '../ask-again.js'
import { passFail } from '../classifiers/labels.js'
import { scoreLine } from '../classifiers/score-line.js'
import type { ModelJudgeOptions } from '../model-judge.js'
import { modelJudge } from '../model-judge.js'
import type { RenderedPrompt } from '../prompt.js'
import type { ModelBase } from './model-base.js'
import { checkModelBase } from './model-base.js'
import { ofOutput } from './of-output.js'
import { prompted, reasonsFirst } from './question.js'
import { taskData, toldAbout } from './task-data.js'

const yesOrNo = `${reasonsFirst}: "Answer: YES" when the goal was met, "Answer: NO" when it was not.`
const outOfTen = `${reasonsFirst}, "Score: " and a number from 0 (the goal was missed) to 10 (it was met in full).`

/**
 * Asks a model whether the goal was met, by goal and output, and by the expected output and the reference data where
 * there are any: yes or no, or, with a `threshold`, a score from 0 to 10 that passes from there on. Without an output it
 * fails, with no call.
 *
 * @param options `threshold` within [0, 1], on the normalised score
 * @throws `option-invalid`, `name-invalid`
 *
 * @example
 * jury({ judges: { correct: correctness({ model }) } })
 */
export function correctness(options: ModelBase & { readonly threshold?: number }): Judge {
  const {
    name = 'correctness',
    threshold,
    model,
    options: modelOptions,
    askAgain = defaultAskAgain,
  } = checkModelBase('correctness', options, { threshold: option.rate })
  const answer = threshold === undefined ? yesOrNo : outOfTen
  const classify = threshold === undefined ? passFail('YES', 'NO') : scoreLine({ passingAt: threshold })
  const prompt = (context: JudgmentContext) => correctnessPrompt(context, answer)
  return ofOutput(
    modelJudge(
      defined<ModelJudgeOptions>({
        name,
        model,
        prompt,
        classify,
        options: modelOptions,
        askAgain,
        description: undefined,
      }),
    ),
  )
}

function correctnessPrompt(context: JudgmentContext, answer: string): RenderedPrompt {
  const data = taskData(context)
  return prompted({ ask: `Did the agent meet the goal? ${toldAbout(data)}`, data, answer })
}
