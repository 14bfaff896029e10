import type { ExecutionStatus, JudgmentContext } from '@jurist/core'
import type { TestHarness } from '@jurist/core/testing'
import type { ContextExtras } from '../context/extras.js'
import { factSuffixes, runFacts } from '../context/run-facts.js'
import type { ContextBridge } from './context-under-test.js'
import { evaluateTests } from './evaluate-contract.js'
import { expectFrozen, expectSame, expectThat } from './expect-that.js'
import { hostileValues, withOnePart } from './hostile.js'

/**
 * What every bridge to contexts must keep: statuses, output, tools, usage and metadata as the tables of the bridges say;
 * nothing invented, nothing thrown at a strange result; runs are timed, caught and judged.
 *
 * @example
 * contextBridgeContract({ describe, test }, 'ai-sdk', { prefix: 'ai-sdk', contextFrom: contextFromAiSdk, evaluate: evaluateAiSdk, samples })
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

/** Bounds for one hostile result: what is kept of it, and how long reading it takes at the best of three. */
const maxMetadata = 4_000_000
const maxMs = 200

function hostileTests<Result>({ test }: TestHarness, { contextFrom, samples }: ContextBridge<Result>): void {
  for (const [what, value] of hostileValues)
    test(`${what} anywhere in a result does no harm`, () => {
      for (const sample of new Set([samples.ok, samples.tools, samples.unknown]))
        for (const hostile of withOnePart(sample, value)) expectHarmless(() => contextFrom(hostile as Result, extras))
      expectThat(!('polluted' in {}), 'the prototype of all objects was changed')
    })
}

function expectHarmless(read: () => JudgmentContext): void {
  const context = read()
  expectThat(JSON.stringify(context.metadata).length <= maxMetadata, 'metadata has grown past its caps')
  expectFrozen(context.metadata, 'metadata')
  const times = [timeOf(read)]
  while (Math.min(...times) > maxMs && times.length < 3) times.push(timeOf(read))
  expectThat(Math.min(...times) <= maxMs, `reading took ${Math.round(Math.min(...times))} ms`)
}

function timeOf(read: () => unknown): number {
  const start = performance.now()
  read()
  return performance.now() - start
}
