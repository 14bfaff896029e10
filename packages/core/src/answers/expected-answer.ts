import type { JudgmentContext } from '../context.js'
import { withoutOutput } from '../judges/output-text.js'
import { effectiveScore, error, type FailJudgment, type Judgment } from '../judgment.js'
import { type AgentOutput, asText, structuredOutput } from '../output.js'
import { unjudgeable, withoutExpectedOutput } from '../unjudgeable.js'

/** In code units. */
export const maxTextLength = 1_000_000

export type CompareAnswers = (answer: AgentOutput, expected: AgentOutput) => Judgment

/** Returns one answer, all answers of a list of which any is right, or none. */
export function expectedAnswersOf({ expectedOutput, expectedAnyOf }: JudgmentContext): readonly AgentOutput[] {
  if (expectedOutput === undefined) return []
  if (expectedAnyOf !== true || expectedOutput.type !== 'structured' || !Array.isArray(expectedOutput.data))
    return [expectedOutput]
  return expectedOutput.data.map((data: unknown) => structuredOutput(data))
}

/** Like `asText`, but strings, numbers and booleans in data have no quotes. */
export function plainText(output: AgentOutput): string {
  const data = output.type === 'structured' ? output.data : undefined
  return data === undefined || (typeof data === 'object' && data !== null) ? asText(output) : String(data)
}

/**
 * Abstains without an expected answer; fails without an answer or with one that is too large; otherwise returns the
 * best judgment over all expected answers. An error counts unless one passes.
 */
export function besideExpected(context: JudgmentContext, compare: CompareAnswers): Judgment {
  const expected = expectedAnswersOf(context)
  if (expected.length === 0) return withoutExpectedOutput()
  const { agentOutput } = context
  if (agentOutput === undefined) return withoutOutput()
  const tooLarge = tooLargeToJudge(plainText(agentOutput).length, maxTextLength)
  if (tooLarge !== undefined) return tooLarge
  const [first, ...others] = expected.map((one) => compareWithin(agentOutput, one, compare))
  return others.reduce((best, other) => (rankOf(other) > rankOf(best) ? other : best), first as Judgment)
}

function compareWithin(answer: AgentOutput, expected: AgentOutput, compare: CompareAnswers): Judgment {
  const { length } = plainText(expected)
  if (length <= maxTextLength) return compare(answer, expected)
  return error(`the expected output has ${length} characters, and at most ${maxTextLength} are compared`)
}

/** Passes come first, then errors, which may hide a pass, then fails by their scores. */
function rankOf(judgment: Judgment): number {
  const ranks = { pass: 4, error: 3, fail: 1, abstain: 0 }
  return ranks[judgment.status] + (effectiveScore(judgment) ?? 0)
}

/** An answer above a limit is the agent's fault. `undefined` within the limit. */
export function tooLargeToJudge(count: number, limit: number, what = 'characters'): FailJudgment | undefined {
  if (count <= limit) return undefined
  return unjudgeable(`the output has ${count} ${what}, and at most ${limit} are judged`, { code: 'too-large' })
}
