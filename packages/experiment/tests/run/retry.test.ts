import type { Agent } from '@jurist/core'
import { describe, expect, it } from 'vitest'
import { completed, type ExperimentOptions, errored, runExperiment, trialOf } from '../../src/index.js'
import { classifier, isRetried, retryDelay } from '../../src/run/failures.js'
import { anExperiment, eventsOf, ofType, temporaryDirectory } from '../run-support.js'

const coded = (code: string) => Object.assign(new Error('no luck'), { code })

/** Fails so many times with the code, then completes. */
function failing(times: number, code: string, costUsd?: number): { agent: Agent; calls: number[] } {
  const calls: number[] = []
  const agent: Agent = async (task) => {
    calls.push(trialOf(task)?.attempt ?? 0)
    const cost = costUsd === undefined ? {} : { costUsd }
    return calls.length <= times ? errored(coded(code), cost) : completed(cost)
  }
  return { agent, calls }
}

describe('infrastructure failures', () => {
  it('are tried again, each time with a fresh workspace, and everything is accounted for', async () => {
    const seen: boolean[] = []
    let calls = 0
    const run = runExperiment(
      anExperiment(1, {
        async agent({ workspace }) {
          seen.push(await workspace.exists('mark'))
          await workspace.write('mark', 'x')
          calls += 1
          return calls < 3
            ? errored(coded('rate-limited'), { costUsd: 1, usage: { inputTokens: 5 } })
            : completed({ costUsd: 2 })
        },
      }),
    )
    const { items } = await run.result
    expect(seen).toEqual([false, false, false])
    expect(items[0]).toMatchObject({ agent: 'completed', passed: true, costUsd: 4, usage: { inputTokens: 10 } })
    expect(items[0]?.attempts).toMatchObject([
      { failure: { code: 'rate-limited', origin: 'agent', infrastructure: true }, costUsd: 1 },
      { failure: { code: 'rate-limited' }, costUsd: 1 },
    ])
    const events = await eventsOf(run)
    expect(ofType(events, 'item-start').map(({ attempt }) => attempt)).toEqual([1, 2, 3])
    expect(ofType(events, 'item-retry')).toMatchObject([{ attempt: 1, delayMs: 0 }, { attempt: 2 }])
    expect(ofType(events, 'item-end')).toHaveLength(1)
  })

  it('leave a trial undecided when all attempts are used up', async () => {
    const { agent, calls } = failing(9, 'ECONNRESET')
    const { items } = await runExperiment(anExperiment(1, { agent })).result
    expect(calls).toEqual([1, 2, 3])
    expect(items[0]).toMatchObject({ agent: 'error', passed: null, failure: { infrastructure: true } })
    expect(items[0]?.attempts).toHaveLength(2)
  })

  it.each([
    ['a plain error', 'my-error', 1],
    ['an http status', '503', 3],
    ['an http status with a prefix', 'http-429', 3],
    ['a wrong key', 'http-401', 1],
    ['a bad request', 'http-400', 1],
  ])('%s is called %s times', async (_, code, times) => {
    const { agent, calls } = failing(9, code)
    await runExperiment(anExperiment(1, { agent })).result
    expect(calls).toHaveLength(times)
  })

  it('in the setup are tried again too', async () => {
    let calls = 0
    const hooks: ExperimentOptions['hooks'] = {
      beforeAgent() {
        calls += 1
        if (calls === 1) throw coded('ENOSPC')
      },
    }
    const { items } = await runExperiment(anExperiment(1, { hooks })).result
    expect(items[0]).toMatchObject({ passed: true, attempts: [{ failure: { origin: 'hook', code: 'ENOSPC' } }] })
  })

  it('are what isInfrastructure says, and one that throws says nothing', async () => {
    const own = failing(1, 'my-quota')
    const retries = { baseMs: 0, isInfrastructure: ({ code }: { readonly code?: string }) => code === 'my-quota' }
    expect((await runExperiment(anExperiment(1, { agent: own.agent, retries })).result).passRate).toBe(1)
    const broken = failing(1, '503')
    const run = runExperiment(
      anExperiment(1, {
        agent: broken.agent,
        retries: {
          baseMs: 0,
          isInfrastructure() {
            throw new Error('oops')
          },
        },
      }),
    )
    expect((await run.result).passRate).toBe(1)
    expect(ofType(await eventsOf(run), 'warning')).toMatchObject([{ code: 'is-infrastructure-failed' }])
  })

  it('by the own word of an agent count before its code', () => {
    const classify = classifier({}, { located: (failure) => failure }, () => {})
    const failure = { name: 'Error', message: 'm' }
    expect(classify({ ...failure, code: '503', infrastructure: false }, 'agent').infrastructure).toBe(false)
    expect(classify({ ...failure, infrastructure: true }, 'agent').infrastructure).toBe(true)
    expect(classify({ ...failure, message: 'rate-limited 429' }, 'agent').infrastructure).toBe(false)
    const denied = classify({ ...failure, code: '403' }, 'agent')
    expect([denied.infrastructure, isRetried(denied)]).toEqual([true, false])
  })

  it('never include a timeout of the agent', async () => {
    let calls = 0
    const agent: Agent = async () => {
      calls += 1
      return { status: 'timeout', failure: { name: 'Timeout', message: 'late', infrastructure: true } }
    }
    await runExperiment(anExperiment(1, { agent })).result
    expect(calls).toBe(1)
  })
})

describe('the delay before another attempt', () => {
  it('doubles up to a limit; with jitter it is a random part of that', () => {
    const retries = { attempts: 9, baseMs: 100, maxMs: 1_000, jitter: false }
    expect([1, 2, 3, 4, 5].map((attempt) => retryDelay(attempt, retries, 0))).toEqual([100, 200, 400, 800, 1_000])
    const spread = Array.from({ length: 200 }, () => retryDelay(3, { ...retries, jitter: true }, 0))
    expect(Math.max(...spread)).toBeLessThanOrEqual(400)
    expect(new Set(spread).size).toBeGreaterThan(100)
  })

  it('is at least what the other side asks for', async () => {
    let calls = 0
    const agent: Agent = async () => {
      calls += 1
      return calls === 1 ? errored(coded('429'), { metadata: { retryAfterMs: 30 } }) : completed()
    }
    const run = runExperiment(anExperiment(1, { agent }))
    await run.result
    expect(ofType(await eventsOf(run), 'item-retry')).toMatchObject([{ delayMs: 30 }])
  })

  it('ends when the run is cancelled', async () => {
    const { agent } = failing(9, '503')
    const run = runExperiment(anExperiment(1, { agent, retries: { baseMs: 60_000 } }), {
      onEvent: ({ type }) => {
        if (type === 'item-retry') run.cancel()
      },
    })
    const { items, status } = await run.result
    expect(status).toBe('interrupted')
    expect(items[0]).toMatchObject({ agent: 'cancelled', passed: null, attempts: [{ failure: { code: '503' } }] })
  })
})

describe('the journal of a trial with several attempts', () => {
  it('says where the next one begins', async () => {
    const directory = temporaryDirectory()
    let calls = 0
    const agent: Agent = async ({ record }) => {
      calls += 1
      record?.({ type: 'text', text: `call ${calls}` })
      return calls === 1 ? errored(coded('503')) : completed()
    }
    const run = runExperiment(anExperiment(1, { agent, store: directory }))
    await run.result
    expect(ofType(await eventsOf(run), 'journal').map(({ event }) => event)).toMatchObject([
      { type: 'text', text: 'call 1' },
      { type: 'custom', name: 'attempt', data: { attempt: 2 } },
      { type: 'text', text: 'call 2' },
    ])
  })
})
