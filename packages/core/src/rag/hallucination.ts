import type { Judge } from '../judge.js'
import { abstain, fail, pass } from '../judgment.js'
import { fold, linesOf, strip } from '../llm/classifiers/answer-text.js'
import { answerLine } from '../llm/classifiers/labels.js'
import { withoutReasoning } from '../llm/classifiers/whole-answer.js'
import { checkModelBase, describeModelJudge, type ModelBase } from '../llm/judges/model-base.js'
import { type PromptShape, promptedBy, yesOrNoAnswer } from '../llm/judges/prompted.js'
import type { Classify } from '../llm/model.js'
import { factJudge } from './contextual-relevance.js'

/**
 * Asks a model whether the answer is free of made-up claims: those that the context neither states nor implies. The
 * claims it names become failed checks, whatever its answer. A model that names claims and answers that there are none
 * makes an abstention. Without a context it abstains, without an answer it fails, and asks nothing.
 *
 * @throws `option-invalid`, `name-invalid`
 *
 * @example
 * import { jury } from '@jurist/core'
 * import { hallucination } from '@jurist/core/rag'
 * import { scriptedModel } from '@jurist/core/testing'
 *
 * const model = scriptedModel('Answer: YES')
 * jury({ judges: { honest: hallucination({ model }) } })
 */
export function hallucination(options: ModelBase): Judge {
  const given = checkModelBase('hallucination', options, {})
  const prompted = promptedBy('hallucination', given, shape)
  return factJudge({
    base: { ...given, name: given.name ?? 'hallucination' },
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

const shape: PromptShape = {
  data: ['question', 'context', 'answer'],
  needed: ['context', 'answer'],
  example: { input: 'question', context: 'context', output: 'answer' },
  ...yesOrNoAnswer,
}

describeModelJudge(hallucination, 'a model finds no made-up claim in the answer')

const answerFormat =
  'First give your reasons in a few sentences, in a paragraph that begins with "Reasoning:". Then, when there are made-up ' +
  'claims, write the line "Unsupported:" and each claim on a line of its own that begins with "- ", in your own words. ' +
  'Then write one last line: "Answer: YES" when the answer is free of made-up claims, "Answer: NO" when it is not.'

/**
 * The claims under `Unsupported:` become failed checks. A pass contradicts a list of made-up claims, and becomes an
 * abstention.
 */
function withUnsupported(classify: Classify): Classify {
  return async function classified(response, context) {
    const { status, reasoning, metadata } = await classify(response, context)
    const { claims, hasMore } = unsupportedIn(withoutReasoning(response.text) ?? '')
    const checks = claims.map((message, index) => ({ name: `unsupported-${index + 1}`, passed: false, message }))
    if (status === 'pass' && (hasMore || claims.length > 0))
      return abstain('the answer names made-up claims and also says there are not any', {
        checks,
        metadata: { ...metadata, unread: 'ambiguous' },
      })
    const say = status === 'pass' ? pass : status === 'fail' ? fail : abstain
    return say(reasoning, { checks, metadata })
  }
}

const heading =
  /^[\s*_#>-]*(?:unsupported|made[- ]up|hallucinated|invented)(?: claims?| statements?)?[\s*_]*:(?<rest>.*)$/iu
const listed = /^\s*(?:[-*•]|\d{1,3}[.)])\s+(?<claim>\S.*)$/u
const nothing =
  /^(?:there (?:is|are) )?(?:none|nothing|n\/a|no (?:unsupported |made-up |such )?claims?)(?: (?:found|was found|were found|at all))?$/u

interface Unsupported {
  readonly claims: readonly string[]
  /** Whether there is text that is not part of a list. */
  readonly hasMore: boolean
}

/** Reads the list items below the heading, each up to its end. */
function unsupportedIn(text: string): Unsupported {
  const claims: string[] = []
  let hasMore = false
  let isOpen = false
  for (const line of linesOf(text)) {
    const rest = heading.exec(line)?.groups?.['rest']
    const claim = isOpen ? listed.exec(line)?.groups?.['claim'] : undefined
    if (rest !== undefined) hasMore ||= namesSomething(rest)
    else if (claim !== undefined && namesSomething(claim)) claims.push(claim.trim())
    else if (isOpen && claim === undefined && line.trim() !== '') {
      isOpen = false
      hasMore ||= namesSomething(line) && !/^\W*(?:answer|reason)/iu.test(line)
    }
    if (rest !== undefined) isOpen = true
  }
  return { claims, hasMore }
}

function namesSomething(text: string): boolean {
  const stripped = strip(fold(text))
  return stripped !== '' && !nothing.test(stripped)
}
