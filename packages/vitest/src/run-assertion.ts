import {
  type ContextInput,
  error,
  explain,
  infoOf,
  type Judge,
  type Judgment,
  JuristError,
  runJudge,
  type Verdict,
} from '@jurist/core'
import { failureOf, isJury, printed } from '@jurist/core/internal'
import { contextFromExpect } from './context-from-expect.js'

/** The result of a judge or a jury for the argument of `expect`. */
export interface AssertionResult {
  /** The name of the judge. */
  readonly name: string
  readonly judgment: Judgment
  /** Only of a jury. */
  readonly verdict?: Verdict
  /** The reasons as a tree, as a string. */
  readonly explanation: string
}

/**
 * Calls a judge or a jury once.
 *
 * @param more parts that override those of `received`
 * @throws `judge-invalid` if `judge` is not a judge, `option-invalid` if `received` cannot be judged
 */
export async function runAssertion(
  received: unknown,
  judge: Judge,
  more: ContextInput | undefined,
): Promise<AssertionResult> {
  if (typeof judge !== 'function')
    throw new JuristError('judge-invalid', `The matcher needs a judge or a jury (got ${printed(judge)}).`, {
      name: 'judge',
    })
  const context = { ...contextFromExpect(received), ...more }
  const { name: own } = infoOf(judge)
  const name = own === 'judge' && isJury(judge) ? 'jury' : own
  if (!isJury(judge)) return resultOf(name, await runJudge(judge, context))
  try {
    const verdict = await judge.vote(context)
    return { ...resultOf(name, verdict.aggregated), verdict, explanation: explain(verdict) }
  } catch (thrown) {
    // An invalid context is a mistake of the test; anything else is a failure of the jury.
    if (JuristError.is(thrown, 'option-invalid')) throw thrown
    return resultOf(name, error(`the vote threw: ${failureOf(thrown).message}`, thrown))
  }
}

function resultOf(name: string, judgment: Judgment): AssertionResult {
  return { name, judgment, explanation: explain(judgment) }
}
