import type { Agent, AgentTask, JournalEvent } from '@jurist/core'
import { memoryWorkspace } from '@jurist/core/testing'
import { dataset } from '@jurist/experiment/dataset'
import { memoryStore } from '@jurist/experiment/store'
import {
  agentContract,
  anItem,
  aResult,
  datasetContract,
  resultStoreContract,
  scriptedAgent,
} from '@jurist/experiment/testing'
import { describe, expect, test } from 'vitest'

async function aTask(overrides: Partial<AgentTask> = {}): Promise<AgentTask> {
  return { prompt: 'do it', workspace: memoryWorkspace({}), signal: new AbortController().signal, ...overrides }
}

agentContract({ describe, test }, 'scriptedAgent', {
  agent: scriptedAgent([
    { write: 'a.txt', text: 'a' },
    { record: { type: 'text', text: 'hello' } },
    { sleepMs: 30 },
    { answer: { costUsd: 0.5, usage: { inputTokens: 3 } } },
  ]),
  task: aTask,
})
agentContract({ describe, test }, 'a failing scriptedAgent', { agent: scriptedAgent([{ fail: 'no' }]), task: aTask })

datasetContract({ describe, test }, 'dataset', {
  open: async () =>
    dataset({
      name: 'inline',
      items: [
        { id: 'a', task: 'first' },
        { id: 'b', task: 'second', status: 'disabled' },
        { id: 'c', task: 'third' },
      ],
    }),
})

describe('scriptedAgent', () => {
  test('does one step after the other', async () => {
    const workspace = memoryWorkspace({ 'old.txt': 'old' })
    const events: JournalEvent[] = []
    const agent = scriptedAgent(({ prompt }) => [
      { write: 'new.txt', text: prompt },
      { remove: 'old.txt' },
      { record: { type: 'state', state: 'done' } },
    ])
    expect(await agent(await aTask({ workspace, record: (event) => events.push(event) }))).toEqual({
      status: 'completed',
    })
    expect(await workspace.read('new.txt')).toBe('do it')
    expect(await workspace.exists('old.txt')).toBe(false)
    expect(events).toEqual([{ type: 'state', state: 'done' }])
  })

  test('keeps what it answered before it failed', async () => {
    const agent = scriptedAgent([{ answer: { costUsd: 2 } }, { fail: 'broken' }, { answer: { costUsd: 3 } }])
    expect(await agent(await aTask())).toEqual({
      status: 'error',
      costUsd: 2,
      failure: { name: 'Error', message: 'broken' },
    })
  })

  test('wakes up when the signal fires', async () => {
    const stop = new AbortController()
    const ending = scriptedAgent([{ sleepMs: 60_000 }, { fail: 'never reached' }])(await aTask({ signal: stop.signal }))
    stop.abort()
    expect((await ending).status).toBe('cancelled')
  })
})

describe('the contracts find what is wrong', () => {
  /** Runs the tests of a contract, and gives the names of those that fail. */
  async function failuresOf(declare: (harness: { describe: typeof run; test: typeof add }) => void) {
    const tests: { readonly name: string; readonly body: () => unknown }[] = []
    function run(_: string, body: () => void): void {
      body()
    }
    function add(name: string, body: () => unknown): void {
      tests.push({ name, body })
    }
    declare({ describe: run, test: add })
    const failed: string[] = []
    for (const { name, body } of tests)
      await Promise.resolve()
        .then(body)
        .catch(() => failed.push(name))
    return { failed, all: tests.length }
  }

  test('a store that forgets trials', async () => {
    const { failed } = await failuresOf((harness) =>
      resultStoreContract(harness, 'forgetful', {
        open: async () => {
          const store = memoryStore()
          return { ...store, open: async (manifest) => ({ ...(await store.open(manifest)), append: async () => {} }) }
        },
      }),
    )
    expect(failed).toContain('what is appended and finished is what is loaded')
    expect(failed).toContain('many appends together are all kept, each once')
  })

  test('a store that lists in the wrong order', async () => {
    const { failed } = await failuresOf((harness) =>
      resultStoreContract(harness, 'upside down', {
        open: async () => {
          const store = memoryStore()
          return { ...store, list: (query) => store.list({ ...query, order: 'oldest' }) }
        },
      }),
    )
    expect(failed).toEqual(['lists the newest first, and what a query asks for'])
  })

  test('an agent that answers nonsense', async () => {
    const agent = (async () => ({ status: 'done', costUsd: Number.NaN })) as unknown as Agent
    const { failed } = await failuresOf((harness) => agentContract(harness, 'nonsense', { agent, task: aTask }))
    expect(failed).toContain('answers with an invocation that survives JSON')
  })
})

test('records have what is given, and a summary that fits', () => {
  const run = aResult({
    experimentName: 'x',
    items: [anItem(), anItem({ itemId: 'b', judged: 'fail', passed: false })],
  })
  expect(run).toMatchObject({ experimentName: 'x', planned: 2, passRate: 0.5 })
  expect(aResult().id).not.toBe(aResult().id)
})
