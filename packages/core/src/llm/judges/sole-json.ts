import type { JudgmentContext } from '../../context.js'
import type { Judgment } from '../../judgment.js'
import { pass } from '../../judgment.js'
import type { StandardSchema } from '../classifiers/json.js'
import { json } from '../classifiers/json.js'
import type { Classify } from '../classify.js'
import { unreadable } from '../classify.js'
import type { JudgeModelResponse } from '../model.js'

const fencedBlock = /```[\s\S]*?```/g

/**
 * As `json`, and also ambiguous when an answer stands in a Markdown fence and another one outside: one of the two may be
 * a quotation of what is judged, and nothing tells which.
 */
export function soleJson<Output>(
  schema: StandardSchema<Output>,
  toJudgment: (value: Output, context: JudgmentContext) => Judgment | Promise<Judgment>,
): Classify {
  const read = json(schema, toJudgment)
  const fits = json(schema, () => pass('fits'))
  return async function soleJson(response: JudgeModelResponse, context: JudgmentContext) {
    const { text, data } = response
    const outside = data !== undefined || isJson(text) ? text : text.replace(fencedBlock, '')
    if (outside !== text) {
      const { status, metadata } = await fits({ text: outside }, context)
      if (status === 'pass' || metadata['unread'] === 'ambiguous')
        return unreadable('ambiguous', 'the answer holds JSON in a Markdown fence and outside it')
    }
    return read(response, context)
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
