import type { JudgmentContext } from '../context.js'
import { JuristError } from '../errors.js'
import { modelCalls } from '../llm/judges/model-calls.js'
import type { Classify, ModelOptions, RenderedPrompt } from '../llm/model.js'
import { totalCost, totalUsage, type Usage } from '../usage.js'
import type { TalkBase } from './talk-base.js'

/** A value that a model answered, and what it cost. */
export interface AskedValue<Value> {
  readonly value: Value
  readonly usage?: Usage
  readonly costUsd?: number
}

/**
 * The value that a model answers; it is asked again while its answer cannot be read.
 *
 * @param read makes the reader of an answer, which passes on the value that it finds
 * @throws what the model throws, and `response-invalid` for an answer that cannot be read
 */
export async function asked<Value>(
  base: TalkBase & { readonly name: string },
  { prompt, options }: { readonly prompt: RenderedPrompt; readonly options: ModelOptions },
  read: (found: (value: Value) => void) => Classify,
  context: JudgmentContext,
): Promise<AskedValue<Value>> {
  let found: { readonly value: Value } | undefined
  const reader = read((value) => {
    found = { value }
  })
  const calls = await modelCalls(base).askUntilRead({ prompt, read: reader, options }, context)
  const answers = calls.asked.flatMap(({ answer }) => {
    if (!answer.ok) throw answer.thrown
    return [answer.response]
  })
  if (calls.read?.judgment.status !== 'pass' || found === undefined) {
    const reason = calls.read?.judgment.reasoning ?? 'there is no answer'
    throw new JuristError('response-invalid', `${base.name}: the model's answer cannot be read: ${reason}.`, { reason })
  }
  const usage = totalUsage(answers.map((answer) => answer.usage))
  const costUsd = totalCost(answers.map((answer) => answer.costUsd))
  return {
    value: found.value,
    ...(Object.keys(usage).length === 0 ? {} : { usage }),
    ...(costUsd === undefined ? {} : { costUsd }),
  }
}
