import type { JudgmentContext } from '../../context.js'
import type { Judgment } from '../../judgment.js'
import { pass } from '../../judgment.js'
import type { StandardSchema } from '../classifiers/json.js'
import { json } from '../classifiers/json.js'
import { afterFencedJson } from '../classifiers/json-in-text.js'
import type { Classify } from '../classify.js'
import { unreadable } from '../classify.js'
import type { JudgeModelResponse } from '../model.js'

/**
 * As `json`, which takes a fenced block before other JSON, and also ambiguous when another answer follows that block: the
 * block may then be a quotation of what is judged, and nothing tells.
 */
export function soleJson<Output>(
  schema: StandardSchema<Output>,
  toJudgment: (value: Output, context: JudgmentContext) => Judgment | Promise<Judgment>,
): Classify {
  const read = json(schema, toJudgment)
  const fits = json(schema, () => pass('fits'))
  return async function soleJson(response: JudgeModelResponse, context: JudgmentContext) {
    const after = response.data === undefined ? afterFencedJson(response.text) : undefined
    if (after !== undefined) {
      const { status, metadata } = await fits({ text: after }, context)
      if (status === 'pass' || metadata['unread'] === 'ambiguous')
        return unreadable('ambiguous', 'the answer holds JSON in a Markdown fence and again after it')
    }
    return read(response, context)
  }
}
