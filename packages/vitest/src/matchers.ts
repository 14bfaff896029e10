import { type ContextInput, effectiveScore, type Judge, meets } from '@jurist/core'
import { optionInvalid, printed } from '@jurist/core/internal'
import { type AssertionResult, runAssertion } from './run-assertion.js'
import { type AssertingTest, storeResult, testOf } from './task-meta.js'

/**
 * The matchers. They are asynchronous: write `await expect(…).toPass(…)`.
 *
 * @example
 * import '@jurist/vitest'
 * import { outputText } from '@jurist/core'
 * import { expect } from 'vitest'
 *
 * await expect('It is Paris.').toPass(outputText({ contains: 'Paris' }))
 */
export interface JuristMatchers<Result = Promise<void>> {
  /**
   * Passes if the judge passes the argument of `expect`: an output (a string or an `AgentOutput`), a workspace (or the `file:` URL of a
   * directory), or a context, whose workspace may be a path.
   * With `not` it passes if the judge fails it. After an abstention or an error the assertion fails in both cases. The
   * message shows the reasons. There is no time limit; pass a `signal` in `context`.
   *
   * @param context parts that override those of the argument of `expect`
   *
   * @example
   * import '@jurist/vitest'
   * import { outputText } from '@jurist/core'
   * import { expect } from 'vitest'
   *
   * await expect('It is Paris.').toPass(outputText({ contains: 'Paris' }))
   * await expect('42').not.toPass(outputText({ contains: 'hello' }))
   */
  toPass(judge: Judge, context?: ContextInput): Result
  /**
   * Passes if the effective score, from 0 to 1, is at least `atLeast`; with `not`, if it is less.
   *
   * @param context parts that override those of the argument of `expect`
   * @throws `option-invalid` if `atLeast` is not a number from 0 to 1
   *
   * @example
   * import '@jurist/vitest'
   * import { openAiCompatibleModel } from '@jurist/bridges/openai-compatible'
   * import { correctness } from '@jurist/core/llm'
   * import { expect } from 'vitest'
   *
   * const model = openAiCompatibleModel({ baseUrl: 'http://localhost:11434/v1', model: 'qwen3' })
   * await expect('It is Paris.').toScore(correctness({ model }), 0.8, { goal: 'Name the capital of France' })
   */
  toScore(judge: Judge, atLeast: number, context?: ContextInput): Result
}

/** The state that Vitest passes to a matcher. */
interface MatcherState {
  readonly isNot: boolean
  readonly task?: AssertingTest
}

/** The result of a matcher. With `not`, Vitest inverts `pass`. */
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
  const result = await runAssertion(received, judge, context)
  storeResult(test, result)
  const { status } = result.judgment
  if (status === 'abstain' || status === 'error') return undecided(this, result, 'pass')
  return {
    pass: status === 'pass',
    message: () => messageOf(result, status === 'pass' ? `${result.name} not to pass` : `${result.name} to pass`),
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
    optionInvalid(
      'atLeast',
      `toScore: the second argument, the minimum score, must be a number from 0 to 1 (got ${printed(atLeast)}).`,
    )
  const test = await testOf(this)
  const result = await runAssertion(received, judge, context)
  storeResult(test, result)
  const score = effectiveScore(result.judgment)
  if (score === undefined) return undecided(this, result, `score at least ${atLeast}`)
  const reached = meets(score, atLeast)
  const wanted = reached
    ? `${result.name} to score less than ${atLeast}`
    : `${result.name} to score at least ${atLeast}`
  return { pass: reached, message: () => messageOf(result, `${wanted}, and it scored ${score}`) }
}

/** The judge abstained or failed, so the assertion fails, also with `not`. */
function undecided({ isNot }: MatcherState, result: AssertionResult, wanted: string): MatcherResult {
  return {
    pass: isNot,
    message: () =>
      messageOf(
        result,
        `${result.name} ${isNot ? 'not ' : ''}to ${wanted}, but nothing was decided (${result.judgment.status})`,
      ),
  }
}

function messageOf({ explanation, received }: AssertionResult, wanted: string): string {
  return `expected ${wanted}\n\n${explanation}${received === undefined ? '' : `\n\nreceived: ${received}`}`
}
