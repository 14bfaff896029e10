import type { Check } from '../check.js'
import type { JudgmentContext } from '../context.js'
import { failureOf } from '../errors.js'
import type { Judge } from '../judge.js'
import { abstain } from '../judgment.js'
import { concluded } from './concluded.js'
import type { SoftExpectation } from './expectation.js'
import { checkOf, expectation } from './expectation.js'

/** What the body of `assertions` is given. */
export interface AssertionTools {
  readonly context: JudgmentContext
  /** Each matcher adds one check and says whether it held; none throws. */
  readonly expect: (actual: unknown, name?: string) => SoftExpectation
  /** Adds one check: it holds unless the body throws or rejects, so any assertion library will do. */
  readonly check: (name: string, body: () => unknown) => Promise<boolean>
}

/**
 * A judge of soft assertions: all of them run, each is a check, the score is the share that held. Abstains when there
 * was none. A body that throws an assertion error adds a failed check; anything else it throws is an ERROR.
 *
 * @example
 * assertions(async ({ context, expect }) => {
 *   const text = await context.workspace.read('README.md')
 *   expect(text, 'title').toContain('# Hello')
 * })
 */
export function assertions(body: (tools: AssertionTools) => unknown): Judge {
  return async function assertions(context) {
    const checks: (Check | undefined)[] = []
    const running: Promise<boolean>[] = []
    const expect = (actual: unknown, name?: string) => expectation(actual, (check) => checks.push(check), name)
    const check = (name: string, run: () => unknown) => {
      const place = checks.push(undefined) - 1
      const done = problemIn(run).then((problem) => {
        checks[place] = checkOf(name, 'check', problem)
        return problem === undefined
      })
      running.push(done)
      return done
    }
    const thrown = await assertionErrorOf(() => body({ context, expect, check }))
    // One by one, for a check may begin others while it runs.
    for (const done of running) await done
    if (thrown !== undefined) checks.push(checkOf('', 'assertion', thrown))
    return conclude(checks.filter((one) => one !== undefined))
  }
}

function conclude(checks: readonly Check[]) {
  if (checks.length === 0) return abstain('there was no assertion')
  const passed = checks.filter((check) => check.passed).length
  const reasoning = `${passed} of ${checks.length} assertions held`
  return concluded(passed === checks.length, reasoning, { score: passed / checks.length, checks })
}

/** The message of what `run` throws, `undefined` when it throws nothing. */
async function problemIn(run: () => unknown): Promise<string | undefined> {
  try {
    await run()
    return undefined
  } catch (thrown) {
    return failureOf(thrown).message
  }
}

async function assertionErrorOf(body: () => unknown): Promise<string | undefined> {
  try {
    await body()
    return undefined
  } catch (thrown) {
    const { name, code, message } = failureOf(thrown)
    if (name === 'AssertionError' || code === 'ERR_ASSERTION') return message
    throw thrown
  }
}
