import { type Agent, abstain, pass } from '@jurist/core'
import { describe, expect, it } from 'vitest'
import { completed, runExperiment } from '../../src/index.js'
import { exhausted, spentBy, withTrial } from '../../src/result/spending.js'
import { memoryStore } from '../../src/store/index.js'
import { anItem } from '../../src/testing/index.js'
import { aborted, anExperiment, eventsOf, good, ofType } from '../run-support.js'

const never = () => new Promise<never>(() => {})

describe('timeouts', () => {
  it('end an agent, and keep what it says within the grace period', async () => {
    const agent: Agent = async ({ signal }) => {
      await aborted(signal)
      return completed({ output: 'half', costUsd: 0.5, usage: { inputTokens: 7 } })
    }
    const { items } = await runExperiment(anExperiment(1, { agent, itemTimeoutMs: 20 })).result
    expect(items[0]).toMatchObject({
      agent: 'timeout',
      judged: 'not-judged',
      passed: false,
      costUsd: 0.5,
      usage: { inputTokens: 7 },
      failure: { origin: 'agent', code: 'agent-timeout', infrastructure: false },
    })
    expect(items[0]?.detail).toMatchObject({ invocation: { status: 'timeout', output: { text: 'half' } } })
  })

  it('fire the signal of their own trial only, whatever listens to the one before', async () => {
    const fired: string[] = []
    const signals = new Map<string, AbortSignal>()
    const agent: Agent = async ({ metadata, signal }) => {
      const id = String(metadata?.['itemId'])
      signals.set(id, signal)
      if (id === 'slow') await aborted(signal)
      else signal.addEventListener('abort', () => fired.push(id))
      return completed('ok')
    }
    const ids = ['first', 'slow', 'last']
    const dataset = ids.map((id) => ({ id, task: 'x' }))
    await runExperiment(anExperiment(0, { dataset, agent, itemTimeoutMs: 20, concurrency: 1 })).result
    expect(fired).toEqual([])
    expect(ids.map((id) => signals.get(id)?.aborted)).toEqual([false, true, false])
  })

  it('end a setup', async () => {
    const { items } = await runExperiment(anExperiment(1, { provision: never, setupTimeoutMs: 20 })).result
    expect(items[0]).toMatchObject({ agent: 'setup-error', passed: null, detail: null })
    expect(items[0]?.failure).toMatchObject({ origin: 'setup', code: 'setup-timeout' })
  })

  it('end a jury: judged error, and what the agent cost stays', async () => {
    const agent = async () => completed({ costUsd: 1 })
    const jury = Object.assign(async () => pass('x'), { vote: never })
    const { items } = await runExperiment(anExperiment(1, { agent, jury, judgeTimeoutMs: 20 })).result
    expect(items[0]).toMatchObject({ agent: 'completed', judged: 'error', passed: null, costUsd: 1 })
    expect(items[0]?.failure).toMatchObject({ origin: 'jury', code: 'judge-timeout' })
  })

  it('end an experiment: running trials are cancelled, the others do not start', async () => {
    const agent: Agent = async ({ signal }) => {
      await aborted(signal)
      return completed()
    }
    const run = runExperiment(anExperiment(5, { agent, experimentTimeoutMs: 40, concurrency: 2 }))
    const result = await run.result
    expect(result).toMatchObject({ status: 'stopped', stopReason: 'experiment-timeout', planned: 5 })
    expect(result.items.map(({ agent }) => agent)).toEqual(['cancelled', 'cancelled'])
    expect(result.counts).toMatchObject({ run: 2, notRun: 3, undecided: 2 })
    expect(ofType(await eventsOf(run), 'experiment-stop')).toMatchObject([
      { reason: 'experiment-timeout', remaining: 3 },
    ])
  })
})

describe('concurrency', () => {
  it.each([
    ['concurrency', { concurrency: 3 }, 3, 3],
    ['judgeConcurrency', { concurrency: 4, judgeConcurrency: 2 }, 4, 2],
  ])('%s bounds what runs concurrently', async (_, options, agentsAtOnce, juriesAtOnce) => {
    const most = { agents: 0, juries: 0 }
    const running = { agents: 0, juries: 0 }
    const during = async (what: 'agents' | 'juries') => {
      running[what] += 1
      most[what] = Math.max(most[what], running[what])
      await new Promise((resolve) => setTimeout(resolve, 5))
      running[what] -= 1
    }
    const result = await runExperiment(
      anExperiment(12, {
        ...options,
        async agent() {
          await during('agents')
          return completed()
        },
        async jury() {
          await during('juries')
          return true
        },
      }),
    ).result
    expect(result.passCount).toBe(12)
    expect(most).toEqual({ agents: agentsAtOnce, juries: juriesAtOnce })
  })
})

describe('bail', () => {
  const agent: Agent = async ({ prompt }) => completed(/[24]/.test(prompt) ? 'bad' : 'fine')

  it.each([
    [true, 2],
    [1, 2],
    [2, 4],
    [3, 6],
    [false, 6],
  ])('%s stops after trial %i', async (bail, ran) => {
    const run = runExperiment(anExperiment(6, { agent, bail, concurrency: 1 }))
    const result = await run.result
    expect(result.items).toHaveLength(ran)
    expect(result.status).toBe(ran === 6 ? 'completed' : 'stopped')
    expect(result.stopReason).toBe(ran === 6 ? null : 'bail')
    expect(result.counts.notRun).toBe(6 - ran)
  })

  it.each([
    ['a judge that abstains', { jury: async () => abstain('cannot say') }],
    ['a judge that breaks', { jury: async () => Promise.reject(new Error('broken')) }],
    [
      'infrastructure that fails',
      { agent: async () => Promise.reject(Object.assign(new Error('x'), { code: 'http-401' })) },
    ],
  ])('counts what decided nothing as well: %s', async (_, options) => {
    const result = await runExperiment(anExperiment(6, { bail: 2, concurrency: 1, ...options })).result
    expect(result).toMatchObject({ status: 'stopped', stopReason: 'bail', counts: { run: 2, undecided: 2 } })
  })

  it('does not count what was not to be judged', async () => {
    const { jury: _, ...options } = anExperiment(3, { bail: true })
    expect(await runExperiment(options).result).toMatchObject({ status: 'completed', counts: { undecided: 3 } })
  })

  it('does not stop a run whose last trial failed', async () => {
    const result = await runExperiment(anExperiment(2, { agent, bail: true, concurrency: 1 })).result
    expect(result.status).toBe('completed')
  })
})

describe('infrastructure that fails in a row', () => {
  const gone: Agent = async ({ prompt }) => {
    if (prompt === 'task 3') return completed('fine')
    throw Object.assign(new Error('no route to the service'), { code: 'ECONNREFUSED' })
  }
  const retries = { attempts: 1 }

  it.each([
    [undefined, 8],
    [2, 2],
    [3, 6],
    [8, 11],
    [false, 12],
  ] as const)('%s stops after trial %i, saying what to do', async (most, ran) => {
    const limit = most === undefined ? {} : { maxInfrastructureFailures: most }
    const run = runExperiment(anExperiment(12, { agent: gone, concurrency: 1, retries, ...limit }))
    const result = await run.result
    expect(result.counts.run).toBe(ran)
    expect(result.stopReason).toBe(ran === 12 ? null : 'infrastructure')
    const stops = ofType(await eventsOf(run), 'experiment-stop')
    expect(stops).toHaveLength(ran === 12 ? 0 : 1)
    for (const { message } of stops)
      expect(message).toMatch(/in a row, last with: no route to the service\. Fix it .*--resume\.$/)
  })

  it('may be that of the judges', async () => {
    const jury = async () => Promise.reject(Object.assign(new Error('no credit'), { code: 'http-402' }))
    const result = await runExperiment(anExperiment(12, { jury, concurrency: 1 })).result
    expect(result).toMatchObject({ stopReason: 'infrastructure', counts: { run: 5 } })
  })

  it('begins again in a run that continues', async () => {
    const options = anExperiment(9, { agent: gone, concurrency: 1, retries, maxInfrastructureFailures: 2 })
    const store = memoryStore()
    const { id } = await runExperiment({ ...options, store }).result
    const again = await runExperiment({ ...options, store }, { resume: id }).result
    // The third passes, and the next two fail.
    expect(again).toMatchObject({ stopReason: 'infrastructure', counts: { run: 5, passes: 1 } })
  })

  it('must be a number or false', async () => {
    const run = runExperiment(anExperiment(1, { maxInfrastructureFailures: 0 }))
    await expect(run.result).rejects.toMatchObject({
      code: 'experiment-invalid',
      details: { issues: [{ field: 'maxInfrastructureFailures' }] },
    })
  })
})

describe('budgets', () => {
  const costly = async () => completed({ costUsd: 0.3, usage: { inputTokens: 60, outputTokens: 40 } })

  it('in dollars stop the run before the next trial', async () => {
    const run = runExperiment(anExperiment(10, { agent: costly, budget: { usd: 1 }, concurrency: 1 }))
    const result = await run.result
    expect(result).toMatchObject({ status: 'stopped', stopReason: 'budget' })
    expect(result.items).toHaveLength(4)
    expect(result.costUsd).toBeCloseTo(1.2)
  })

  it('count the mean of what has ended for what is running', async () => {
    const result = await runExperiment(anExperiment(40, { agent: costly, budget: { usd: 3 }, concurrency: 4 })).result
    expect(result.items.length).toBeGreaterThanOrEqual(7)
    expect(result.items.length).toBeLessThanOrEqual(13)
  })

  it('in tokens', async () => {
    const options = anExperiment(10, { agent: costly, budget: { tokens: 250 }, concurrency: 1 })
    expect((await runExperiment(options).result).items).toHaveLength(3)
  })

  it('include the juries by default', async () => {
    const jury = () => pass('yes', { costUsd: 0.3 })
    const budget = { usd: 1 }
    const both = await runExperiment(anExperiment(10, { agent: costly, jury, budget, concurrency: 1 })).result
    const alone = await runExperiment(
      anExperiment(10, { agent: costly, jury, budget: { ...budget, includeJudges: false }, concurrency: 1 }),
    ).result
    expect([both.items.length, alone.items.length]).toEqual([2, 4])
  })

  it('warn once when a trial declares no cost; a cost of 0 is declared', async () => {
    const warned = async (agent: Agent) => {
      const run = runExperiment(anExperiment(3, { agent, budget: { usd: 1 } }))
      return ofType(await eventsOf(run), 'warning').map(({ code }) => code)
    }
    expect(await warned(async () => completed())).toEqual(['budget-unpriced'])
    expect(await warned(async () => completed({ costUsd: 0 }))).toEqual([])
  })

  it('per item cancel a trial whose recorded cost exceeds them', async () => {
    const agent: Agent = async ({ record, signal }) => {
      record?.({ type: 'model-call', model: 'm', costUsd: 0.3 })
      if (signal.aborted) throw new Error('too early')
      record?.({ type: 'model-call', model: 'm', costUsd: 0.3 })
      await aborted(signal)
      return completed({ costUsd: 0.6 })
    }
    const { items, status } = await runExperiment(anExperiment(1, { agent, budget: { perItemUsd: 0.5 } })).result
    expect(items[0]).toMatchObject({ agent: 'cancelled', passed: null, costUsd: 0.6 })
    expect(items[0]?.failure).toMatchObject({ code: 'budget-exceeded' })
    expect(status).toBe('completed')
  })

  it('count what was spent before a run went on, and failures that did not stop it', () => {
    const items = [anItem({ costUsd: 0.8, passed: false }), anItem({ costUsd: 0.1, passed: false })]
    const limits = (bailAfter: number) => ({ usd: 1, tokens: null, includeJudges: true, bailAfter, outageAfter: 9 })
    for (const bailAfter of [5, 2]) {
      const spent = spentBy(items, limits(bailAfter))
      expect(exhausted(limits(bailAfter), spent, 0)).toBeNull()
    }
    const three = withTrial(spentBy(items, limits(3)), anItem({ costUsd: 0, passed: false }), limits(3))
    expect(exhausted(limits(3), three, 0)?.reason).toBe('bail')
  })
})

describe('cancelling', () => {
  it('records running trials as cancelled and starts no other', async () => {
    let begun = 0
    const agent: Agent = async ({ signal }) => {
      begun += 1
      if (begun === 3) run.cancel('enough')
      if (begun < 3) return completed()
      await aborted(signal)
      return completed({ costUsd: 2 })
    }
    const run = runExperiment(anExperiment(6, { agent, concurrency: 1 }))
    const result = await run.result
    expect(result).toMatchObject({ status: 'interrupted', stopReason: 'cancelled' })
    expect(result.items.map(({ agent, passed }) => [agent, passed])).toEqual([
      ['completed', true],
      ['completed', true],
      ['cancelled', null],
    ])
    expect(result.items[2]).toMatchObject({ costUsd: 2, failure: { message: 'enough', code: 'cancelled' } })
    expect(result.counts.notRun).toBe(3)
  })

  it('by a signal, also by one that has fired', async () => {
    const controller = new AbortController()
    const jury = async () => {
      controller.abort(new Error('ctrl-c'))
      return never()
    }
    const result = await runExperiment(anExperiment(2, { jury, concurrency: 1 }), { signal: controller.signal }).result
    expect(result.status).toBe('interrupted')
    expect(result.items).toMatchObject([{ agent: 'cancelled', judged: 'not-judged', passed: null }])
    const fired = await runExperiment(anExperiment(2), { signal: controller.signal }).result
    expect(fired).toMatchObject({ status: 'interrupted', items: [], counts: { notRun: 2 } })
  })

  it('by disposing of the run, which waits for its end', async () => {
    const agent: Agent = async ({ signal }) => {
      await aborted(signal)
      return completed()
    }
    const run = runExperiment(anExperiment(1, { agent, jury: good }))
    await run[Symbol.asyncDispose]()
    expect((await run.result).status).toBe('interrupted')
  })

  it('ends commands that an agent has left running', async () => {
    let result: Promise<{ readonly status: string }> | undefined
    const agent: Agent = async ({ workspace }) => {
      result = workspace.run(['sleep', '30'])
      return completed()
    }
    const { items } = await runExperiment(anExperiment(1, { agent })).result
    expect(items[0]?.passed).toBe(true)
    expect((await result)?.status).toBe('aborted')
  })
})
