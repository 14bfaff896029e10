import {
  type Check,
  type ContextInput,
  error,
  explain,
  flatten,
  infoOf,
  type Judge,
  type Judgment,
  JuristError,
  judgmentContext,
  runJudge,
  type Verdict,
  type Workspace,
} from '@jurist/core'
import { failureOf, isJury, isOutput, isPlainObject, optionInvalid, printed } from '@jurist/core/internal'

/**
 * The argument of `expect` as parts of a context: a string or an `AgentOutput` is the agent's output, an object with the
 * methods `exists` and `read`, or a `file:` URL, is the workspace, another plain object is a context or parts of one.
 *
 * @throws `option-invalid` for anything else
 */
function contextFromExpect(received: unknown): ContextInput {
  if (typeof received === 'string' || isOutput(received)) return { agentOutput: received }
  if (isWorkspace(received) || received instanceof URL) return { workspace: received }
  if (isPlainObject(received)) return received as ContextInput
  optionInvalid(
    'received',
    `expect: a judge cannot look at ${printed(received)}. Pass an output (a string or an AgentOutput), a workspace, ` +
      'or a context (an object with parts such as workspace, agentOutput, goal).',
  )
}

function isWorkspace(value: unknown): value is Workspace {
  if (typeof value !== 'object' || value === null) return false
  const { exists, read } = value as { readonly exists?: unknown; readonly read?: unknown }
  return typeof exists === 'function' && typeof read === 'function'
}

export interface AssertionResult {
  /** The name of the judge. */
  readonly name: string
  readonly judgment: Judgment
  /** Present only for a jury. */
  readonly verdict?: Verdict
  /** The reasons as a tree, in one string. */
  readonly explanation: string
  /** The output that was judged, or the file at which a check failed, truncated; absent without a text. */
  readonly received?: string
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
  if (!isJury(judge)) {
    const judgment = await runJudge(judge, context)
    return { ...resultOf(name, judgment), ...(await receivedText(context, judgment.checks)) }
  }
  try {
    const verdict = await judge.vote(context)
    const judged = await receivedText(
      context,
      flatten(verdict).flatMap(({ judgment }) => judgment.checks),
    )
    return { ...resultOf(name, verdict.aggregated), verdict, explanation: explain(verdict), ...judged }
  } catch (thrown) {
    // An invalid context is a mistake of the test; anything else is a failure of the jury.
    if (JuristError.is(thrown, 'option-invalid')) throw thrown
    return resultOf(name, error(`the vote threw: ${failureOf(thrown).message}`, thrown))
  }
}

const longestText = 500

/** Returns what was judged in the form for failure messages. */
async function receivedText(context: ContextInput, checks: readonly Check[]): Promise<{ readonly received?: string }> {
  const { agentOutput } = context
  const given = isOutput(agentOutput) && agentOutput.type === 'text' ? agentOutput.text : agentOutput
  if (typeof given === 'string') return { received: shortened(given) }
  const path = checks.find(({ passed, location }) => !passed && location !== undefined)?.location?.path
  if (path === undefined) return {}
  const text = await judgmentContext(context)
    .workspace?.read(path)
    .catch(() => undefined)
  return text === undefined ? {} : { received: `${path} ${shortened(text)}` }
}

function shortened(text: string): string {
  return JSON.stringify(text.length > longestText ? `${text.slice(0, longestText)}…` : text)
}

function resultOf(name: string, judgment: Judgment): AssertionResult {
  return { name, judgment, explanation: explain(judgment) }
}
