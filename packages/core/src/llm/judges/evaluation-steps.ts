import type { JudgmentContext } from '../../context.js'
import { linesOf } from '../classifiers/reading.js'
import { unreadable } from '../classify.js'
import type { Ask, Asked } from './model-calls.js'
import { prompted } from './question.js'

/** The steps of an evaluation, with the call that made them when this judgment made it. */
export interface Steps {
  /** Empty when the answer held none; `undefined` when the call failed. */
  readonly steps?: readonly string[]
  /** The call to count: none for those who only waited for it. */
  readonly calls: readonly Asked[]
}

const numberedStep = /^[\s*_#>-]*(?:step\s*)?\d+[*_]*(?:[.):]| [-–—])[*_]*\s+(?<text>\S.*)$/iu
const listedStep = /^\s*[-*•]\s+(?<text>\S.*)$/u

/**
 * Makes the steps of an evaluation out of its criteria by one call, at first use, shared by all who ask meanwhile. A
 * call that fails, or that gives no step, is not kept: the next one who asks tries again. One who waits for a call that
 * its maker gave up makes it again.
 */
export function stepsFrom(criteria: string, ask: Ask): (context: JudgmentContext) => Promise<Steps> {
  let shared: { readonly asked: Promise<Asked>; readonly maker: AbortSignal } | undefined
  return async function stepsOf(context) {
    const own = shared === undefined
    const call = shared ?? { asked: ask(stepsQuestion(criteria), context), maker: context.signal }
    shared = call
    const asked = await call.asked
    const steps = asked.answer.ok ? stepsIn(asked.answer.response.text) : undefined
    if ((steps === undefined || steps.length === 0) && shared === call) shared = undefined
    if (steps === undefined && !own && call.maker.aborted && !context.signal.aborted) return stepsOf(context)
    return { ...(steps === undefined ? {} : { steps }), calls: own || steps === undefined ? [asked] : [] }
  }
}

function stepsQuestion(criteria: string) {
  return { prompt: stepsPrompt(criteria), read: () => unreadable('none', 'steps are no verdict') }
}

function stepsPrompt(criteria: string) {
  return prompted({
    ask:
      'Write the steps by which somebody else will evaluate the output of an AI agent, goal and output in hand, to come to ' +
      `one score.\n\nCriteria: ${criteria}`,
    data: {},
    answer: 'Answer with 3 to 8 steps and nothing else: one a line, each with its number, as in "1. Read the goal."',
  })
}

/** The numbered lines, else the lines of a list. */
function stepsIn(text: string): readonly string[] {
  // Line by line: a pattern over the whole text would try each of many blank lines anew.
  const lines = linesOf(text)
  const found = (pattern: RegExp) => lines.flatMap((line) => pattern.exec(line)?.groups?.['text']?.trim() ?? [])
  const numbered = found(numberedStep)
  return numbered.length > 0 ? numbered : found(listedStep)
}
