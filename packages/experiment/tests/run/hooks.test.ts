import { pass, runJudge } from '@jurist/core'
import { localWorkspace } from '@jurist/workspace'
import { describe, expect, it } from 'vitest'
import { completed, type ExperimentOptions, runExperiment } from '../../src/index.js'
import { contextOf } from '../../src/run/judge-trial.js'
import { aborted, anExperiment, eventsOf, ofType } from '../run-support.js'

describe('hooks', () => {
  it('are called in order, see the trial, and give metadata to it and to the jury', async () => {
    const order: string[] = []
    const seen: unknown[] = []
    const { items } = await runExperiment(
      anExperiment(1, {
        dataset: [{ id: 'a', task: 't', metadata: { level: 'item', own: 1 } }],
        metadata: { team: 'x' },
        hooks: {
          async beforeAgent({ workspace, item, repetition }) {
            order.push('beforeAgent')
            await workspace.write('seed.txt', `${item.id} ${repetition}`)
            return { seeded: true, level: 'hook' }
          },
          afterAgent({ invocation }) {
            order.push('afterAgent')
            return { status: invocation.status }
          },
          beforeJury({ context }) {
            order.push('beforeJury')
            return { ...context, goal: `${context.goal}!` }
          },
        },
        agent: async ({ workspace }) => {
          order.push('agent')
          return completed({ output: await workspace.read('seed.txt'), metadata: { level: 'agent', mine: 2 } })
        },
        jury({ goal, metadata }) {
          seen.push(goal, metadata)
          return pass('yes')
        },
      }),
    ).result
    expect(order).toEqual(['beforeAgent', 'agent', 'afterAgent', 'beforeJury'])
    expect(seen[0]).toBe('t!')
    expect(seen[1]).toMatchObject({
      ...{ seeded: true, status: 'completed', level: 'item', own: 1, mine: 2, team: 'x' },
      ...{ itemId: 'a', repetition: 1, variant: null, experimentName: 'test', attempt: 1, tags: [], noChange: false },
    })
    expect(items[0]?.metadata).toEqual({
      seeded: true,
      workspaceKept: false,
      status: 'completed',
      level: 'item',
      own: 1,
    })
  })

  it('before the agent that throw are setup errors of the hook', async () => {
    let called = false
    const agent = async () => {
      called = true
      return completed()
    }
    const hooks: ExperimentOptions['hooks'] = {
      beforeAgent() {
        throw new Error('no seed')
      },
    }
    const { items } = await runExperiment(anExperiment(1, { agent, hooks })).result
    expect(items[0]).toMatchObject({ agent: 'setup-error', judged: 'not-judged', passed: null })
    expect(items[0]?.failure).toMatchObject({ origin: 'hook', message: 'no seed' })
    expect(called).toBe(false)
  })

  it('before the agent that give no JSON are setup errors too', async () => {
    const hooks = { beforeAgent: () => ({ when: new Date() }) } as unknown as NonNullable<ExperimentOptions['hooks']>
    const { items } = await runExperiment(anExperiment(1, { hooks })).result
    expect(items[0]?.failure).toMatchObject({ origin: 'hook', code: 'metadata-invalid' })
  })

  it('after the agent that throw are warnings; the outcome stays', async () => {
    const hooks: ExperimentOptions['hooks'] = { afterAgent: () => Promise.reject(new Error('no cleanup')) }
    const run = runExperiment(anExperiment(1, { hooks }))
    const { items } = await run.result
    expect(items[0]).toMatchObject({ agent: 'completed', judged: 'pass', passed: true })
    expect(items[0]?.failure).toMatchObject({ origin: 'hook', message: 'no cleanup' })
    expect(ofType(await eventsOf(run), 'warning')).toMatchObject([{ code: 'hook-failed', itemId: 'item-1' }])
  })

  it('before the jury that throw are its failure', async () => {
    const hooks: ExperimentOptions['hooks'] = {
      beforeJury() {
        throw new Error('no context')
      },
    }
    const { items } = await runExperiment(anExperiment(1, { hooks, agent: async () => completed({ costUsd: 1 }) }))
      .result
    expect(items[0]).toMatchObject({ agent: 'completed', judged: 'error', passed: null, costUsd: 1 })
    expect(items[0]?.failure).toMatchObject({ origin: 'hook', message: 'no context' })
  })

  it('share the time of the setup', async () => {
    const hooks: ExperimentOptions['hooks'] = { beforeAgent: ({ signal }) => aborted(signal) }
    const { items } = await runExperiment(anExperiment(1, { hooks, setupTimeoutMs: 20 })).result
    expect(items[0]).toMatchObject({ agent: 'setup-error', failure: { origin: 'hook', code: 'setup-timeout' } })
  })
})

describe('the context of a jury', () => {
  const { signal } = new AbortController()
  const workspace = localWorkspace('.')
  const item = {
    ...{ id: 'a', slug: 's', path: null, bucket: 'b', taskType: '', status: 'active' as const, metadata: {} },
    ...{ task: 't', noChange: false, tags: [], knowledgeRefs: [], before: null, reference: null },
    ...{ expectedOutput: null, expectedAnyOf: false, referenceData: [], hash: 'h', input: null },
    ...{ judges: null, jury: null, timeoutMs: null, repetitions: null, image: null },
  }
  const parts = { item, workspace, before: null, reference: null, startedAt: '2026-11-21T00:00:00.000Z', signal }

  it.each([
    ['completed', 'success'],
    ['refused', 'refused'],
    ['timeout', 'timeout'],
    ['error', 'failed'],
    ['cancelled', 'cancelled'],
  ] as const)('has for %s the status %s', (status, expected) => {
    expect(contextOf({ ...parts, invocation: { status } }).status).toBe(expected)
  })

  it('takes the word of a bridge for status and sources', () => {
    const sources = [{ text: 'one' }, { url: 'x' }, { text: 'two' }, null]
    const metadata = { bridge: 'ai', 'ai.status': 'unknown', 'ai.sources': sources }
    const context = contextOf({ ...parts, invocation: { status: 'completed', metadata } })
    expect(context).toMatchObject({ status: 'unknown', referenceData: ['one', 'two'] })
    const known = contextOf({
      ...parts,
      item: { ...item, referenceData: ['own'] },
      invocation: { status: 'completed', metadata },
    })
    expect(known.referenceData).toEqual(['own'])
  })

  it('does not let hooks set what is reserved', () => {
    const invocation = { status: 'completed' as const, costUsd: 1, metadata: { itemId: 'x', free: 1 } }
    const { metadata } = contextOf({ ...parts, item: { ...item, metadata: { costUsd: 9, usage: 'lots' } }, invocation })
    expect(metadata).toMatchObject({ itemId: 'a', costUsd: 1, free: 1 })
    expect('usage' in metadata).toBe(false)
  })

  it('is good for any judge', async () => {
    const context = contextOf({ ...parts, invocation: completed({ output: 'x', elapsedMs: 5 }) })
    expect(context).toMatchObject({ goal: 't', executionMs: 5, agentOutput: { text: 'x' } })
    expect((await runJudge(() => true, context)).status).toBe('pass')
  })
})
