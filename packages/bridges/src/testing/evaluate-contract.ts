import type { Judge, JudgmentContext } from '@jurist/core'
import { abstain, jury, pass } from '@jurist/core'
import type { TestHarness } from '@jurist/core/testing'
import type { ContextBridge } from './context-under-test.js'
import { expectSame, expectThat, isVerdict, rejectionOf } from './expect-that.js'

/** A judge that keeps what it saw. */
function witness(): { readonly judge: Judge; readonly seen: JudgmentContext[] } {
  const seen: JudgmentContext[] = []
  const judge: Judge = (context) => {
    seen.push(context)
    return context.status === 'success' ? pass('it went well') : abstain(context.failure?.message ?? context.status)
  }
  return { judge, seen }
}

const extras = { goal: 'do the task', metadata: { mine: 'kept' } }
/** 1,000 ms of patience with a run that ignores its signal, and some. */
const giveUpMs = 1_500

/** C5: running, timing, catching and judging. */
export function evaluateTests<Result>({ test }: TestHarness, bridge: ContextBridge<Result>): void {
  judgingTests({ test }, bridge)
  boundaryTests({ test }, bridge)
}

type Tests = Pick<TestHarness, 'test'>

function judgingTests<Result>({ test }: Tests, { evaluate, samples }: ContextBridge<Result>): void {
  const ok = samples.ok as Result
  test('a judge gives a judgment, a jury a verdict', async () => {
    const { judge, seen } = witness()
    const judgment = await evaluate(() => ok, judge, extras)
    expectThat(!isVerdict(judgment) && judgment.status === 'pass', 'a judge gave no judgment that passes')
    const verdict = await evaluate(async () => ok, jury({ judges: { judge } }), extras)
    expectThat(isVerdict(verdict), 'a jury gave no verdict')
    for (const context of seen) expectTimed(context)
  })
  test('a run that throws is judged, with what the caller added', async () => {
    const { judge, seen } = witness()
    const broken = () => {
      throw Object.assign(new Error('slow down'), { status: 429 })
    }
    await evaluate(broken, judge, extras)
    await evaluate(() => Promise.reject(new Error('no')), judge, extras)
    for (const context of seen) expectTimed(context)
    expectSame(
      seen.map(({ status, failure }) => [status, failure?.infrastructure]),
      [
        ['failed', true],
        ['failed', false],
      ],
      'failures',
    )
  })
}

function boundaryTests<Result>({ test }: Tests, { evaluate, samples, prefix }: ContextBridge<Result>): void {
  const ok = samples.ok as Result
  test('a run that ignores its signal is given up', async () => {
    const { judge, seen } = witness()
    const start = performance.now()
    await evaluate(() => new Promise<Result>(() => undefined), judge, { ...extras, timeoutMs: 50 })
    expectThat(performance.now() - start < giveUpMs, 'the run was waited for')
    expectSame(seen[0]?.status, 'timeout', 'status')
    const stop = new AbortController()
    const run = (signal: AbortSignal) =>
      new Promise<Result>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const stopped = evaluate(run, judge, { ...extras, signal: stop.signal })
    stop.abort(new Error('enough'))
    expectSame((await stopped).status, 'error', 'what a judge says whose signal has fired')
  })
  test('keys of the bridge are reserved', async () => {
    for (const key of ['bridge', `${prefix}.status`, `${prefix}.anything`]) {
      const metadata = { [key]: 'mine' }
      const rejection = await rejectionOf(
        evaluate(
          () => ok,
          () => true,
          { ...extras, metadata },
        ),
        key,
      )
      expectSame(rejection.code, 'metadata-reserved', key)
    }
  })
  test('two at once do not mix', async () => {
    const { judge, seen } = witness()
    const slow = (signal: AbortSignal) =>
      new Promise<Result>((resolve) => setTimeout(() => resolve(ok), signal.aborted ? 0 : 20))
    const goals = ['first', 'second']
    await Promise.all(goals.map((goal) => evaluate(slow, judge, { goal, metadata: { mine: goal } })))
    expectSame(
      seen.map(({ goal, metadata }) => goal === metadata['mine']),
      [true, true],
      'goals and metadata',
    )
  })
}

function expectTimed({ goal, metadata, startedAt, executionMs }: JudgmentContext): void {
  expectSame([goal, metadata['mine']], ['do the task', 'kept'], 'what the caller added')
  expectThat(startedAt !== undefined && executionMs !== undefined && executionMs >= 0, 'the run was not timed')
}
