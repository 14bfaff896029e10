import type { JudgmentContext } from '../context.js'
import { type Judge, runJudge } from '../judge.js'
import { abstain, error, fail, type Judgment, pass } from '../judgment.js'
import { judgmentFromJson } from '../judgment-json.js'
import type { Aggregation, Ballot } from '../votes/aggregation.js'
import type { Vote } from '../votes/vote.js'

/** The two functions of a test runner; vitest, jest and `node:test` have them. */
export interface TestHarness {
  readonly describe: (name: string, body: () => void) => void
  readonly test: (name: string, body: () => unknown) => void
}

export function expectThat(holds: boolean, message: string): void {
  if (!holds) throw new Error(message)
}

/** The order of keys counts. */
export function expectSame(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)]
  expectThat(found === wanted, `${what}: expected ${wanted}, found ${found}`)
}

export async function expectCode(run: () => unknown, ...codes: readonly string[]): Promise<void> {
  let thrown: unknown
  try {
    await run()
  } catch (caught) {
    thrown = caught
  }
  const code = (thrown as { readonly code?: unknown } | undefined)?.code
  expectThat(typeof code === 'string' && codes.includes(code), `expected ${codes.join(' or ')}, found ${thrown}`)
}

function expectFrozen(value: unknown, what: string): void {
  if (typeof value !== 'object' || value === null) return
  expectThat(Object.isFrozen(value), `${what} is not frozen`)
  for (const [key, inner] of Object.entries(value)) expectFrozen(inner, `${what}.${key}`)
}

/** A judge, and contexts that it must pass and fail. */
export interface JudgeContractSetup {
  readonly judge: Judge
  readonly passing: JudgmentContext
  readonly failing: JudgmentContext
}

/**
 * Tests that a judge keeps the contract of judges: it passes and fails where it should, its judgments survive JSON and
 * are frozen, two concurrent calls do not affect each other, an aborted signal ends it within a second, the context is
 * not changed.
 *
 * @example
 * import { outputText } from '@jurist/core'
 * import { aContext, judgeContract } from '@jurist/core/testing'
 * import { describe, test } from 'vitest'
 *
 * judgeContract({ describe, test }, 'greeting', {
 *   judge: outputText({ contains: 'Hello' }),
 *   passing: aContext({ agentOutput: 'Hello!' }),
 *   failing: aContext({ agentOutput: 'Goodbye' }),
 * })
 */
export function judgeContract({ describe, test }: TestHarness, name: string, setup: JudgeContractSetup): void {
  const { judge, passing, failing } = setup
  describe(`${name} keeps the judge contract`, () => {
    test('passes what is right', async () => expectStatus(await runJudge(judge, passing), 'pass'))
    test('fails what is wrong', async () => expectStatus(await runJudge(judge, failing), 'fail'))
    test('its judgments are frozen and survive JSON', async () => {
      for (const context of [passing, failing]) {
        const judgment = await runJudge(judge, context)
        expectFrozen(judgment, 'judgment')
        expectSame(judgmentFromJson(JSON.parse(JSON.stringify(judgment))), judgment, 'read back')
      }
    })
    test('two concurrent calls do not disturb each other', async () => {
      const both = await Promise.all([runJudge(judge, passing), runJudge(judge, failing), runJudge(judge, passing)])
      expectSame(
        both.map(({ status }) => status),
        ['pass', 'fail', 'pass'],
        'statuses',
      )
    })
    test('an aborted signal ends it within a second', async () => {
      const stop = new AbortController()
      const ending = runJudge(judge, { ...passing, signal: stop.signal })
      stop.abort(new Error('enough'))
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<'late'>((resolve) => {
        timer = setTimeout(() => resolve('late'), 1_000)
      })
      const ended = await Promise.race([ending, late])
      clearTimeout(timer)
      expectThat(ended !== 'late', 'still running a second after the abort')
    })
    test('the context is not changed', async () => {
      const context = { ...passing }
      await runJudge(judge, context)
      for (const key of Object.keys(passing) as (keyof JudgmentContext)[])
        expectThat(context[key] === passing[key], `context.${key} was changed`)
    })
  })
}

function expectStatus({ status, reasoning }: Judgment, expected: Judgment['status']): void {
  expectThat(status === expected, `expected ${expected}, found ${status}: ${reasoning}`)
}

/**
 * Tests that a vote keeps the contract of votes: an empty vote is refused, one ballot decides alone, abstentions
 * abstain; it is pure, the order of ballots does not matter, its judgment is frozen JSON, and its counts, if any, add
 * up.
 *
 * @example
 * import { majority } from '@jurist/core'
 * import { voteContract } from '@jurist/core/testing'
 * import { describe, test } from 'vitest'
 *
 * voteContract({ describe, test }, 'majority', () => majority())
 */
export function voteContract({ describe, test }: TestHarness, name: string, make: () => Vote): void {
  describe(`${name} keeps the vote contract`, () => {
    test('an empty vote is refused', () => expectCode(() => make()([]), 'ballots-empty'))
    test('one pass passes, one fail fails', () => {
      expectSame(make()(ballots(pass('yes'))).status, 'pass', 'status')
      expectSame(make()(ballots(fail('no'))).status, 'fail', 'status')
    })
    test('abstentions abstain', () => {
      expectSame(make()(ballots(abstain('nothing'), abstain('nothing'))).status, 'abstain', 'status')
    })
    test('the same ballots give the same judgment, and stay as they are', () => {
      for (const given of samples) {
        const before = JSON.stringify(given)
        expectSame(make()(given), make()(given), 'judgment')
        expectSame(JSON.parse(JSON.stringify(given)), JSON.parse(before), 'ballots')
      }
    })
    test('the order of ballots does not matter', () => {
      for (const given of samples) {
        const reversed = make()([...given].reverse())
        expectSame(reversed.status, make()(given).status, 'status')
      }
    })
    test('the judgment is frozen, and its counts add up', () => {
      for (const given of samples) {
        const judgment = make()(given)
        expectFrozen(judgment, 'judgment')
        const { aggregation } = judgment.metadata
        if (aggregation !== undefined) expectCounts(aggregation as unknown as Aggregation, given.length)
      }
    })
  })
}

function ballots(...judgments: readonly Judgment[]): readonly Ballot[] {
  return judgments.map((judgment, index) => ({ name: `j${index + 1}`, judgment, weight: 1 }))
}

const samples: readonly (readonly Ballot[])[] = [
  ballots(pass('a'), fail('b')),
  ballots(pass('a'), abstain('b'), pass('c', { score: 0.75 })),
  ballots(error('a', new Error('broken')), pass('b'), fail('c', { score: 0.25 })),
  ballots(error('a', new Error('broken')), abstain('b')),
]

function expectCounts(counts: Aggregation, received: number): void {
  const { inputCount, eligibleCount, abstainCount, ignoredErrorCount, passCount, failCount, onError, errorCount } =
    counts
  const propagated = onError.startsWith('propagate') ? errorCount : 0
  expectSame(inputCount, received, 'inputCount')
  expectSame(passCount + failCount, eligibleCount, 'passCount + failCount')
  expectThat(
    inputCount === eligibleCount + abstainCount + ignoredErrorCount + propagated,
    `${inputCount} ballots came in, but the counts account for another number`,
  )
}
