import type { Classify } from '../classify.js'
import { unreadable } from '../classify.js'
import type { JudgeModelResponse } from '../model.js'

/** The keys by which models say why they stopped; bridges put the name of a framework and a dot in front. */
const reasonKeys: ReadonlySet<string> = new Set([
  ...['finishReason', 'finish_reason', 'finishReasons', 'stopReason', 'stop_reason', 'done_reason', 'doneReason'],
])
/** What they say when an answer is not whole. */
const cutReasons: ReadonlySet<string> = new Set([
  ...['length', 'max-tokens', 'max-output-tokens', 'max-completion-tokens', 'token-limit', 'model-length'],
  ...['model-context-window-exceeded', 'incomplete', 'content-filter', 'safety', 'recitation'],
])

/** Whether the metadata of an answer say that the model was stopped before its end. */
function isCutOff({ metadata = {} }: JudgeModelResponse): boolean {
  return Object.entries(metadata).some(([key, value]) => {
    const name = key.slice(key.lastIndexOf('.') + 1)
    if (name === 'truncated') return value === true
    const reasons: readonly unknown[] = Array.isArray(value) ? value : [value]
    return (
      reasonKeys.has(name) && reasons.some((reason) => cutReasons.has(String(reason).toLowerCase().replace(/_/g, '-')))
    )
  })
}

/** The classifier, which abstains for an answer that was cut off: what is missing might have said the opposite. */
export function unlessCutOff(classify: Classify): Classify {
  const whole: Classify = (response, context) =>
    isCutOff(response)
      ? unreadable('none', 'the answer was cut off before its end: give the model more tokens with options.maxTokens')
      : classify(response, context)
  return Object.defineProperty(whole, 'name', { value: classify.name, configurable: true })
}
