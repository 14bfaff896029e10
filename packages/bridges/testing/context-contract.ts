import { abstain, type ExecutionStatus, type Judge, type JudgmentContext, jury, pass } from '@jurist/core'
import type { TestHarness } from '@jurist/core/testing'
import type { ContextExtras } from '../src/context/extras.js'
import { factSuffixes, runFacts } from '../src/context/run-facts.js'
import type { Evaluate } from '../src/run/bridge.js'
import { expectFrozen, expectSame, expectThat, isVerdict, rejectionOf } from './expect-that.js'
import { hostileValues, withOnePart } from './hostile.js'

/** The functions of a bridge under test. */
export interface ContextBridge<Result> {
  readonly prefix: string
  readonly evaluate: Evaluate<Result>
  contextFrom(result: Result, extras: ContextExtras): JudgmentContext
  /**
   * Results with each ending; `tools`: with at least one tool that completed; `empty`: with no text and no tools. `null`:
   * the framework cannot express it.
   */
  readonly samples: {
    readonly [sample in 'ok' | 'truncated' | 'refused' | 'failed' | 'unknown' | 'tools' | 'empty']: Result | null
  }
}

/** A judge that records its contexts. */
function witness(): { readonly judge: Judge; readonly seen: JudgmentContext[] } {
  const seen: JudgmentContext[] = []
  const judge: Judge = (context) => {
    seen.push(context)
    return context.status === 'success' ? pass('it went well') : abstain(context.failure?.message ?? context.status)
  }
  return { judge, seen }
}

const evaluateExtras = { goal: 'do the task', metadata: { mine: 'kept' } }

/** C5: running, timing, catching and judging. */
function evaluateTests<Result>({ test }: TestHarness, bridge: ContextBridge<Result>): void {
  judgingTests({ test }, bridge)
  boundaryTests({ test }, bridge)
}

type Tests = Pick<TestHarness, 'test'>

function judgingTests<Result>({ test }: Tests, { evaluate, samples }: ContextBridge<Result>): void {
  const ok = samples.ok as Result
  test('a judge gives a judgment, a jury a verdict', async () => {
    const { judge, seen } = witness()
    const judgment = await evaluate(() => ok, judge, evaluateExtras)
    expectThat(!isVerdict(judgment) && judgment.status === 'pass', 'a judge gave no judgment that passes')
    const verdict = await evaluate(async () => ok, jury({ judges: { judge } }), evaluateExtras)
    expectThat(isVerdict(verdict), 'a jury gave no verdict')
    for (const context of seen) expectTimed(context)
  })
  test('a run that throws is judged, with what the caller added', async () => {
    const { judge, seen } = witness()
    const broken = () => {
      throw Object.assign(new Error('slow down'), { status: 429 })
    }
    await evaluate(broken, judge, evaluateExtras)
    await evaluate(() => Promise.reject(new Error('no')), judge, evaluateExtras)
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
    // A run that never ends.
    await evaluate(() => new Promise<Result>(() => undefined), judge, { ...evaluateExtras, timeoutMs: 50 })
    expectSame(seen[0]?.status, 'timeout', 'status')
    const stop = new AbortController()
    const run = (signal: AbortSignal) =>
      new Promise<Result>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const stopped = evaluate(run, judge, { ...evaluateExtras, signal: stop.signal })
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
          { ...evaluateExtras, metadata },
        ),
        key,
      )
      expectSame(rejection.code, 'metadata-reserved', key)
    }
  })
  test('two simultaneous runs do not mix', async () => {
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

/**
 * Tests that a bridge keeps the contract of context bridges: statuses, output, tools, usage and metadata are as in the
 * tables of the bridges; nothing is invented, and a malformed result throws nothing; runs are timed, caught and judged.
 */
export function contextBridgeContract<Result>(harness: TestHarness, name: string, bridge: ContextBridge<Result>): void {
  harness.describe(`${name} keeps the contract of context bridges`, () => {
    statusTests(harness, bridge)
    factTests(harness, bridge)
    hostileTests(harness, bridge)
    evaluateTests(harness, bridge)
  })
}

const extras: ContextExtras = { goal: 'do the task' }

type Samples = ContextBridge<unknown>['samples']

const statuses: { readonly [sample in keyof Samples]?: ExecutionStatus } = {
  ok: 'success',
  truncated: 'success',
  refused: 'refused',
  failed: 'failed',
  unknown: 'unknown',
}

function statusTests<Result>({ test }: TestHarness, { contextFrom, samples, prefix }: ContextBridge<Result>): void {
  test('each ending has its status', () => {
    for (const [sample, status] of Object.entries(statuses)) {
      const result = samples[sample as keyof Samples]
      if (result !== null) expectSame(contextFrom(result, extras).status, status, sample)
    }
  })
  test('a cut answer says so', () => {
    if (samples.truncated === null) return
    expectSame(runFacts(contextFrom(samples.truncated, extras).metadata)?.truncated, true, 'truncated')
  })
  test('no result is an unknown ending without output', () => {
    for (const nothing of [null, undefined]) {
      const context = contextFrom(nothing as Result, extras)
      expectSame([context.status, context.agentOutput], ['unknown', undefined], 'status and output')
      expectSame(runFacts(context.metadata)?.bridge, prefix, 'bridge')
    }
  })
}

function factTests<Result>({ test }: TestHarness, { contextFrom, samples, prefix }: ContextBridge<Result>): void {
  const contexts = () =>
    Object.values(samples).flatMap((sample: Result | null) => (sample === null ? [] : [contextFrom(sample, extras)]))
  test('output is there where the framework gave one, and not otherwise', () => {
    if (samples.ok !== null) expectThat(contextFrom(samples.ok, extras).agentOutput !== undefined, 'ok has no output')
    if (samples.empty === null) return
    expectSame(contextFrom(samples.empty, extras).agentOutput, undefined, 'the output of an empty answer')
  })
  test('calls and results of tools are joined', () => {
    if (samples.tools === null) return
    const executions = runFacts(contextFrom(samples.tools, extras).metadata)?.toolExecutions ?? []
    expectThat(
      executions.some(({ status }) => status === 'completed'),
      'no tool has completed',
    )
    expectSame(new Set(executions.map(({ id }) => id)).size, executions.length, 'the number of different ids')
    for (const { name, input } of executions)
      expectThat(name !== '' && input !== undefined, 'an execution has no name or no input')
  })
  test('counts of tokens are whole, their parts no larger, and none is made up', () => {
    for (const { metadata } of contexts()) {
      const { inputTokens, outputTokens, cacheReadTokens = 0, reasoningTokens = 0 } = runFacts(metadata)?.usage ?? {}
      expectThat(cacheReadTokens <= (inputTokens ?? Number.POSITIVE_INFINITY), 'more was cached than came in')
      expectThat(reasoningTokens <= (outputTokens ?? Number.POSITIVE_INFINITY), 'more was reasoned than came out')
    }
    expectSame(runFacts(contextFrom(null as Result, extras).metadata)?.usage, undefined, 'the usage of no result')
  })
  test('metadata is frozen JSON under the prefix of the bridge', () => {
    for (const { metadata } of contexts()) {
      expectFrozen(metadata, 'metadata')
      expectSame(JSON.parse(JSON.stringify(metadata)), metadata, 'metadata after JSON')
      for (const key of Object.keys(metadata))
        expectThat(key === 'bridge' || key.startsWith(`${prefix}.`), `the key ${key} is not the bridge's`)
    }
  })
  test('a fact has the same name in every bridge', () => {
    for (const { metadata } of contexts()) {
      const known = Object.keys(metadata).filter((key) => factSuffixes.some((suffix) => key === `${prefix}.${suffix}`))
      expectSame(Object.keys(runFacts(metadata) ?? {}).length, known.length + 1, 'the number of facts')
    }
  })
}

/**
 * The limit of metadata from one hostile result. Reading 10 MB in more than linear time would exceed the time limit of
 * the test.
 */
const maxMetadata = 4_000_000

function hostileTests<Result>({ test }: TestHarness, { contextFrom, samples }: ContextBridge<Result>): void {
  for (const [what, value] of hostileValues)
    test(`${what} anywhere in a result does no harm`, () => {
      for (const sample of new Set([samples.ok, samples.tools, samples.unknown]))
        for (const hostile of withOnePart(sample, value)) expectHarmless(() => contextFrom(hostile as Result, extras))
      expectThat(!('polluted' in {}), 'the prototype of all objects was changed')
    })
}

function expectHarmless(read: () => JudgmentContext): void {
  const { metadata } = read()
  expectThat(JSON.stringify(metadata).length <= maxMetadata, 'metadata has grown past its caps')
  expectFrozen(metadata, 'metadata')
}
