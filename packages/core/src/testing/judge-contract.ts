import type { JudgmentContext } from '../context.js'
import type { Judge } from '../judge.js'
import { runJudge } from '../judge.js'
import type { Judgment } from '../judgment.js'
import { judgmentFromJson } from '../judgment-json.js'
import type { TestHarness } from './harness.js'
import { expectFrozen, expectSame, expectThat } from './harness.js'

export interface JudgeContractSetup {
  readonly judge: Judge
  readonly passing: JudgmentContext
  readonly failing: JudgmentContext
}

/**
 * What every judge must keep: it passes and fails where it should, its judgments survive JSON and are frozen, two calls
 * at once do not disturb each other, an aborted signal ends it within a second, the context is left as it was.
 *
 * @example
 * judgeContract({ describe, test }, 'my judge', { judge, passing: aContext({ workspace }), failing: aContext() })
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
    test('two calls at once do not disturb each other', async () => {
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
