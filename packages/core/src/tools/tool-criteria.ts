import type { Judge } from '../judge.js'
import { answerLine } from '../llm/classifiers/labels.js'
import { shortened } from '../llm/fence.js'
import { checkModelBase, describeModelJudge, type ModelBase, modelled } from '../llm/judges/model-base.js'
import { type PromptShape, promptedBy, reasonsFirst, taskData, yesOrNoAnswer } from '../llm/judges/prompted.js'
import { modelCalls } from '../llm/model-calls.js'
import { described, nonBlank } from '../options.js'
import type { ToolStep } from '../tool-step.js'
import { ofSteps } from './known-steps.js'

/** Options of `toolCriteria`. */
export interface ToolCriteriaOptions extends ModelBase {
  /** The requirement for the calls, as a sentence. Default: they serve the goal, and none is needless. */
  readonly criterion?: string
}

const defaultCriterion =
  'The calls serve the goal: the right tools with the right inputs, in an order that makes sense, and none that is needless.'

/**
 * Asks a model whether the agent's tool calls satisfy a criterion, yes or no. The model sees the goal, every call with
 * its input and result, and the output. Each value longer than 2,000 characters is cut in the middle. At most 60,000
 * characters of all calls are shown, the first and the last ones; marks state what is missing. Abstains without asking
 * where the tool calls are not known.
 *
 * @throws `option-invalid`, `name-invalid`, `template-invalid`
 *
 * @example
 * import { scriptedModel } from '@jurist/core/testing'
 * import { toolCriteria } from '@jurist/core/tools'
 *
 * const model = scriptedModel('Answer: YES')
 * toolCriteria({ model, criterion: 'The agent asks before it deletes anything.' })
 */
export function toolCriteria(options: ToolCriteriaOptions): Judge {
  const given = checkModelBase('toolCriteria', options, rules)
  const { name = 'toolCriteria', criterion = defaultCriterion } = given
  const prompted = promptedBy('toolCriteria', given, shape)
  const calls = modelCalls({ ...given, name })
  const judge = ofSteps(name, {}, (steps, context) => {
    const { goal, output } = taskData(context)
    const prompt = prompted({
      ask: `${question}\n\nCriterion: ${criterion}`,
      texts: { criterion },
      data: { goal, calls: shownCalls(steps), output },
      answer: `${reasonsFirst}: "Answer: YES" when the criterion is satisfied, "Answer: NO" when it is not.`,
    })
    return calls.judge({ prompt, read: yesOrNo }, context)
  })
  return modelled(judge, { ...given, name })
}

const yesOrNo = answerLine()
const question =
  'Do the tool calls of the agent satisfy this criterion? The calls are JSON lines in their order, each with the status and ' +
  'the result of the call. The goal is what the agent was asked for, the output what it answered in the end.'

const rules = {
  criterion: described(nonBlank, 'What the calls must satisfy, as a sentence.', defaultCriterion),
}

const shape: PromptShape = {
  data: ['goal', 'calls', 'output'],
  texts: ['criterion'],
  needed: ['calls'],
  example: { input: 'goal', output: 'calls' },
  ...yesOrNoAnswer,
}

describeModelJudge(toolCriteria, 'a model says that the tool calls satisfy the criterion', rules)

const mostOfValue = 2_000
const mostOfCalls = 60_000

/** As JSON lines, so that no result can look like another call. */
function shownCalls(steps: readonly ToolStep[]): string {
  if (steps.length === 0) return 'The agent called no tool.'
  const lines = steps.map(({ name, input, output, status }, index) =>
    JSON.stringify({
      call: index + 1,
      tool: shortened(name, mostOfValue),
      input: value(input),
      status,
      ...(output === undefined ? {} : { result: value(output) }),
    }),
  )
  return withinMost(lines)
}

function value(given: ToolStep['input']): ToolStep['input'] {
  const text = typeof given === 'string' ? given : JSON.stringify(given)
  return text.length > mostOfValue ? shortened(text, mostOfValue) : given
}

function withinMost(lines: readonly string[]): string {
  let [head, tail, length] = [0, lines.length, 0]
  while (head < tail) {
    const isHead = head <= lines.length - tail
    const next = (isHead ? lines[head] : lines[tail - 1]) ?? ''
    length += next.length + 1
    if (length > mostOfCalls) break
    if (isHead) head += 1
    else tail -= 1
  }
  const mark = tail > head ? [`[... ${tail - head} calls left out ...]`] : []
  return [...lines.slice(0, head), ...mark, ...lines.slice(tail)].join('\n')
}
