import type { Judge } from '../judge.js'
import { abstain, fail, pass } from '../judgment.js'
import { answerLine } from '../llm/classifiers/labels.js'
import type { Classify } from '../llm/classify.js'
import type { ModelBase } from '../llm/judges/model-base.js'
import { checkModelBase } from '../llm/judges/model-base.js'
import { prompted } from '../llm/judges/question.js'
import { factJudge } from './fact-judge.js'

/**
 * Asks a model whether the answer is free of made-up claims: those that the context neither says nor implies. The claims
 * it names become failed checks, whatever its verdict. Abstains, without a call, when there is no context or no answer.
 *
 * @throws `option-invalid`, `name-invalid`
 *
 * @example
 * jury({ judges: { honest: hallucination({ model }) } })
 */
export function hallucination(options: ModelBase): Judge {
  const given = checkModelBase('hallucination', options, {})
  return factJudge({
    ...given,
    name: given.name ?? 'hallucination',
    needed: ['context', 'answer'],
    classify: withUnsupported(answerLine()),
    prompt: ({ question, context, answer }) =>
      prompted({
        ask:
          'Is the answer free of made-up claims? A claim is made up when the context neither says nor implies it, even ' +
          'where it happens to be true.',
        data: { question, context, answer },
        answer: answerFormat,
      }),
  })
}

const answerFormat =
  'First give your reasons in a few sentences, in a paragraph that begins with "Reasoning:". Then, when there are made-up ' +
  'claims, write the line "Unsupported:" and each claim on a line of its own that begins with "- ", in your own words. ' +
  'Then write one last line: "Answer: YES" when the answer is free of made-up claims, "Answer: NO" when it is not.'

/** The verdict of a classifier, with the claims listed under `Unsupported:` as failed checks. */
function withUnsupported(classify: Classify): Classify {
  return async function classified(response, context) {
    const { status, reasoning, metadata } = await classify(response, context)
    const claims = unsupportedIn(response.text)
    const checks = claims.map((message, index) => ({ name: `unsupported-${index + 1}`, passed: false, message }))
    const say = status === 'pass' ? pass : status === 'fail' ? fail : abstain
    return say(reasoning, { checks, metadata })
  }
}

const heading = /^[\s*_#>-]*unsupported[\s*_]*:[\s*_]*$/iu
const listed = /^\s*[-*•]\s+(?<claim>\S.*)$/u
const nothing = /^\W*(none|nothing|n\/a)\W*$/iu

/** The list items below the heading, as far as the list goes. */
function unsupportedIn(text: string): readonly string[] {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/)
  const start = lines.findIndex((line) => heading.test(line))
  if (start < 0) return []
  const claims: string[] = []
  for (const line of lines.slice(start + 1)) {
    const claim = listed.exec(line)?.groups?.['claim']
    if (claim !== undefined) claims.push(claim.trim())
    else if (line.trim() !== '') break
  }
  return claims.filter((claim) => !nothing.test(claim))
}
