import type { Check } from '../check.js'
import type { JudgmentContext } from '../context.js'
import { failureOf } from '../errors.js'
import type { Judge } from '../judge.js'
import type { Judgment } from '../judgment.js'
import { abstain, error } from '../judgment.js'
import { concluded } from './concluded.js'
import type { Note, SoftExpectation } from './expectation.js'
import { checkOf, expectation } from './expectation.js'
import { isBug } from './judge-bug.js'

/** What the body of `assertions` is given. */
export interface AssertionTools {
  readonly context: JudgmentContext
  /** Each matcher adds one check and says whether it held; none throws. */
  readonly expect: (actual: unknown, name?: string) => SoftExpectation
  /**
   * Adds one check: it holds unless the body throws or rejects, so any assertion library will do. What only a bug
   * throws (`TypeError`, `ReferenceError`, `RangeError`, `SyntaxError` but for a text that is no JSON) is an ERROR of
   * the judge.
   */
  readonly check: (name: string, body: () => unknown) => Promise<boolean>
}

/**
 * A judge of soft assertions: all of them run, each is a check, the score is the share that held. Abstains when there
 * was none. A body that throws an assertion error adds a failed check; anything else it throws is an ERROR, and so is a
 * bug in a check or a predicate, or a pattern that takes too long: the judge is broken, not the subject.
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
    const bugs: Bug[] = []
    const note: Note = (check, bug) => {
      checks.push(check)
      if (bug !== undefined) bugs.push({ name: check.name, thrown: bug })
    }
    const expect = (actual: unknown, name?: string) => expectation(actual, note, name)
    const check = (name: string, run: () => unknown) => {
      const place = checks.push(undefined) - 1
      const done = problemIn(run).then((problem) => {
        const check = checkOf(name, 'check', problem && failureOf(problem.thrown).message)
        checks[place] = check
        if (isBug(problem?.thrown)) bugs.push({ name: check.name, thrown: problem?.thrown })
        return problem === undefined
      })
      running.push(done)
      return done
    }
    const thrown = await assertionErrorOf(() => body({ context, expect, check }))
    // One by one, for a check may begin others while it runs.
    for (const done of running) await done
    if (thrown !== undefined) checks.push(checkOf('', 'assertion', thrown))
    return conclude(
      checks.filter((one) => one !== undefined),
      bugs,
    )
  }
}

/** What was thrown where the judge is to blame, and in which check. */
interface Bug {
  readonly name: string
  readonly thrown: unknown
}

function conclude(checks: readonly Check[], [bug]: readonly Bug[]): Judgment {
  if (bug !== undefined)
    return error(`the check "${bug.name}" threw: ${failureOf(bug.thrown).message}`, bug.thrown, { checks })
  if (checks.length === 0) return abstain('there was no assertion')
  const passed = checks.filter((check) => check.passed).length
  const reasoning = `${passed} of ${checks.length} assertions held`
  return concluded(passed === checks.length, reasoning, { score: passed / checks.length, checks })
}

/** What `run` throws, `undefined` when it throws nothing. */
async function problemIn(run: () => unknown): Promise<{ readonly thrown: unknown } | undefined> {
  try {
    await run()
    return undefined
  } catch (thrown) {
    return { thrown }
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
