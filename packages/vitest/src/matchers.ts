import { type ContextInput, effectiveScore, type Judge, JuristError, meets } from '@jurist/core'
import { printed } from '@jurist/core/internal'
import { type Answer, ask } from './ask.js'
import { type NotingTest, note, testOf } from './noted.js'

/** What Vitest tells a matcher. */
interface MatcherState {
  readonly isNot: boolean
  readonly task?: NotingTest
}

/** What a matcher answers to Vitest, which turns `pass` round under `not`. */
interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
}

/** `expect(received).toPass(judge, context?)` */
export async function toPass(
  this: MatcherState,
  received: unknown,
  judge: Judge,
  context?: ContextInput,
): Promise<MatcherResult> {
  const test = await testOf(this)
  const answer = await ask(received, judge, context)
  note(test, answer)
  const { status } = answer.judgment
  if (status === 'abstain' || status === 'error') return undecided(this, answer, 'pass')
  return {
    pass: status === 'pass',
    message: () => told(answer, status === 'pass' ? `${answer.name} not to pass` : `${answer.name} to pass`),
  }
}

/** `expect(received).toScore(judge, atLeast, context?)` */
export async function toScore(
  this: MatcherState,
  received: unknown,
  judge: Judge,
  atLeast: number,
  context?: ContextInput,
): Promise<MatcherResult> {
  if (typeof atLeast !== 'number' || !(atLeast >= 0 && atLeast <= 1))
    throw new JuristError(
      'option-invalid',
      `toScore: the second argument is the least score, a number from 0 to 1, not ${printed(atLeast)}.`,
      { option: 'atLeast' },
    )
  const test = await testOf(this)
  const answer = await ask(received, judge, context)
  note(test, answer)
  const score = effectiveScore(answer.judgment)
  if (score === undefined) return undecided(this, answer, `score at least ${atLeast}`)
  const reached = meets(score, atLeast)
  const wanted = reached
    ? `${answer.name} to score less than ${atLeast}`
    : `${answer.name} to score at least ${atLeast}`
  return { pass: reached, message: () => told(answer, `${wanted}, and it scored ${score}`) }
}

/** Nothing was decided: the assertion fails, also under `not`. */
function undecided({ isNot }: MatcherState, answer: Answer, wanted: string): MatcherResult {
  return {
    pass: isNot,
    message: () =>
      told(
        answer,
        `${answer.name} ${isNot ? 'not ' : ''}to ${wanted}, but nothing was decided (${answer.judgment.status})`,
      ),
  }
}

function told({ explanation }: Answer, wanted: string): string {
  return `expected ${wanted}\n\n${explanation}`
}
