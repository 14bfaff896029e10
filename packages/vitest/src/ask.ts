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
import { contextOfReceived } from './received.js'

/** What a judge or a jury said of what was handed to `expect`. */
export interface Answer {
  /** What the judge is called. */
  readonly name: string
  readonly judgment: Judgment
  /** Of a jury. */
  readonly verdict?: Verdict
  /** The tree of reasons, as text. */
  readonly explanation: string
}

/**
 * Asks a jury by its vote, any other judge through `runJudge`, once.
 *
 * @param more laid over what was received, key by key
 * @throws `judge-invalid` when `judge` is none, `option-invalid` for what no judge can look at
 */
export async function ask(received: unknown, judge: Judge, more: ContextInput | undefined): Promise<Answer> {
  if (typeof judge !== 'function')
    throw new JuristError('judge-invalid', `The matcher wants a judge or a jury, not ${printed(judge)}.`, {
      name: 'judge',
    })
  const context = { ...contextOfReceived(received), ...more }
  const { name: own } = infoOf(judge)
  const name = own === 'judge' && isJury(judge) ? 'jury' : own
  if (!isJury(judge)) return answer(name, await runJudge(judge, context))
  try {
    const verdict = await judge.vote(context)
    return { ...answer(name, verdict.aggregated), verdict, explanation: explain(verdict) }
  } catch (thrown) {
    // A context that is wrong is the test's mistake; anything else is a jury that broke.
    if (JuristError.is(thrown, 'option-invalid')) throw thrown
    return answer(name, error(`the vote threw: ${failureOf(thrown).message}`, thrown))
  }
}

function answer(name: string, judgment: Judgment): Answer {
  return { name, judgment, explanation: explain(judgment) }
}
