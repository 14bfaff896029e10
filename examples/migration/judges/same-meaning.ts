import type { Judge, Judgment } from 'jurist'
import { abstain, fail, pass, withInfo } from 'jurist'
import type { Model, ModelAnswer } from '../model/model.js'
import { migrationPrompt } from '../model/prompt.js'

const maxPromptChars = 100_000

/**
 * Asks a model whether the migration does the same as the reference, one call an item. A model that breaks makes an
 * ERROR of it; an answer that cannot be read, a missing reference and too much text make it abstain.
 */
export function sameMeaning(model: Model): Judge {
  const judge: Judge = async (context) => {
    const prompt = await migrationPrompt(context)
    if (prompt === undefined) return abstain('there is no reference to compare with')
    if (prompt.length > maxPromptChars) return abstain(`more than ${maxPromptChars} characters differ`)
    return judgmentOf(await model({ prompt, signal: context.signal }))
  }
  return withInfo(judge, { name: 'sameMeaning', kind: 'model', version: '1' })
}

function judgmentOf({ text, usage, costUsd }: ModelAnswer): Judgment {
  const [, answer, reason = ''] = /^(PASS|FAIL): (.+)$/.exec(text.trim()) ?? []
  const spent = { usage, costUsd }
  if (answer === 'PASS') return pass(reason, spent)
  if (answer === 'FAIL') return fail(reason, spent)
  return abstain('the answer of the model could not be read', spent)
}
