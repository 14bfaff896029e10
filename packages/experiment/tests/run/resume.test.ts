import type { Agent } from '@jurist/core'
import { describe, expect, it } from 'vitest'
import { completed, type ExperimentOptions, type InlineItem, runExperiment } from '../../src/index.js'
import { fileStore, memoryStore, type ResultStore } from '../../src/store/index.js'
import { aborted, anExperiment, eventsOf, good, ofType, someItems, temporaryDirectory } from '../run-support.js'

/** Runs so many trials of an experiment and cancels it in the next one. */
async function interrupted(options: ReturnType<typeof anExperiment>, after: number): Promise<string> {
  let calls = 0
  const agent: NonNullable<ExperimentOptions['agent']> = async (task) => {
    calls += 1
    if (calls <= after) return options.agent(task)
    run.cancel('stopped by the test')
    await aborted(task.signal)
    return completed()
  }
  // Its name is a condition.
  Object.defineProperty(agent, 'name', { value: options.agent.name })
  const run = runExperiment({ ...options, concurrency: 1, agent })
  expect((await run.result).status).toBe('interrupted')
  return run.runId
}

/** An agent that notes the prompts it gets. */
function noting(): { readonly agent: Agent; readonly prompts: string[] } {
  const prompts: string[] = []
  const agent: Agent = async ({ prompt }) => {
    prompts.push(prompt)
    return completed(prompt)
  }
  return { agent, prompts }
}

describe.each([
  ['a store in memory', () => memoryStore()],
  ['a store of files', () => fileStore(temporaryDirectory())],
])('in %s, a run that goes on', (_, open: () => ResultStore) => {
  it('runs only what was not recorded, and what was cancelled', async () => {
    const { agent, prompts } = noting()
    const options = anExperiment(6, { store: open(), agent })
    const id = await interrupted(options, 3)
    prompts.length = 0
    const run = runExperiment(options, { resume: id })
    const result = await run.result
    expect(run.runId).toBe(id)
    expect(prompts).toEqual(['task 4', 'task 5', 'task 6'])
    expect(result).toMatchObject({ id, status: 'completed', stopReason: null, passCount: 6, planned: 6 })
    const events = await eventsOf(run)
    expect(ofType(events, 'experiment-start')).toMatchObject([{ resumed: 3, trials: 6 }])
    expect(ofType(events, 'item-end').map(({ done }) => done)).toEqual([4, 5, 6])
    const store = options.store as ResultStore
    expect((await store.load(id))?.items.map(({ itemId }) => itemId)).toEqual(someItems(6).map((item) => item.id))
  })

  it('is the newest unfinished one of the same name and variant, else a new one', async () => {
    const store = open()
    const { agent, prompts } = noting()
    const options = anExperiment(3, { store, agent, variants: { a: {}, b: {} } })
    const first = runExperiment(options, { resume: 'latest', variant: 'a' } as object)
    expect((await first.result).status).toBe('completed')
    const id = await interrupted(anExperiment(3, { store, agent }), 1)
    const again = runExperiment(options, { resume: 'latest', variant: 'b' } as object)
    expect((await again.result).variant).toBe('b')
    prompts.length = 0
    const run = runExperiment(anExperiment(3, { store, agent }), { resume: 'latest' })
    expect((await run.result).id).toBe(id)
    expect(run.runId).toBe(id)
    expect(prompts).toEqual(['task 2', 'task 3'])
  })

  it('runs what decided nothing again when asked to', async () => {
    const store = open()
    let broken = true
    const options = anExperiment(2, {
      store,
      async agent({ prompt }) {
        if (broken && prompt === 'task 1') throw Object.assign(new Error('no'), { code: 'http-401' })
        return completed(prompt)
      },
    })
    const { id, items } = await runExperiment(options).result
    expect(items.map(({ passed }) => passed)).toEqual([null, true])
    broken = false
    const same = await runExperiment(options, { resume: id }).result
    expect(same.items.map(({ passed }) => passed)).toEqual([null, true])
    const again = await runExperiment(options, { resume: id, retryErrors: true }).result
    expect(again.items.map(({ passed }) => passed)).toEqual([true, true])
  })

  it('runs the items and repetitions that it was begun with, whatever is asked for now', async () => {
    const { agent, prompts } = noting()
    const wide = anExperiment(6, { store: open(), agent, repetitions: 3 })
    const narrow = { ...wide, repetitions: 2, filter: { id: ['item-2', 'item-5'] } }
    const id = await interrupted(narrow, 1)
    prompts.length = 0
    const run = runExperiment(wide, { resume: id })
    const result = await run.result
    expect(prompts).toEqual(['task 2', 'task 5', 'task 5'])
    expect(result).toMatchObject({ status: 'completed', planned: 4, passCount: 4, counts: { notRun: 0 } })
    const events = await eventsOf(run)
    expect(ofType(events, 'experiment-start')).toMatchObject([{ trials: 4, resumed: 1 }])
    expect(ofType(events, 'warning')).toMatchObject([
      { code: 'plan-stored', message: expect.stringContaining('4 trials (2 items, 2 times each)') },
    ])
    // One that asks for less, or for the same, gets the plan as well; the same is nothing to speak of.
    for (const [options, notices] of [
      [narrow, 0],
      [{ ...wide, repetitions: 1, filter: { id: 'item-5' } }, 1],
    ] as const) {
      prompts.length = 0
      const again = runExperiment(options, { resume: id })
      expect(await again.result).toMatchObject({ planned: 4, passCount: 4 })
      expect(prompts).toEqual([])
      expect(ofType(await eventsOf(again), 'warning')).toHaveLength(notices)
    }
  })

  it('needs no item that was removed after all its trials', async () => {
    const { agent, prompts } = noting()
    const options = anExperiment(3, { store: open(), agent })
    const id = await interrupted(options, 1)
    prompts.length = 0
    const dataset = someItems(3).slice(1)
    const { items } = await runExperiment({ ...options, dataset }, { resume: id }).result
    expect(prompts).toEqual(['task 2', 'task 3'])
    expect(items.map(({ passed }) => passed)).toEqual([true, true, true])
  })

  it('may be widened to more repetitions and items, again and again', async () => {
    const { agent, prompts } = noting()
    const options = anExperiment(4, { store: open(), agent, filter: { id: ['item-2', 'item-3'] } })
    const { id } = await runExperiment(options).result
    prompts.length = 0
    const twice = await runExperiment({ ...options, repetitions: 2 }, { resume: id, widen: true }).result
    expect(prompts).toEqual(['task 2', 'task 3'])
    expect(twice.planned).toBe(4)
    prompts.length = 0
    const { filter: _, ...wider } = { ...options, repetitions: 2 }
    const all = await runExperiment(wider, { resume: id, widen: true }).result
    expect(prompts.toSorted()).toEqual(['task 1', 'task 1', 'task 4', 'task 4'])
    expect(all.planned).toBe(8)
    expect(all.items.map(({ itemId }) => itemId)).toEqual([1, 1, 2, 2, 3, 3, 4, 4].map((number) => `item-${number}`))
    prompts.length = 0
    // From now on this is its plan.
    const once = await runExperiment(options, { resume: id }).result
    expect(once).toMatchObject({ status: 'completed', passCount: 8 })
    expect(prompts).toEqual([])
  })

  it('is refused while somebody else writes it, and no other run begins', async () => {
    const store = open()
    const options = anExperiment(2, { store })
    const id = await interrupted(options, 1)
    const { writer } = await store.resume(id)
    for (const resume of [id, 'latest'])
      await expect(runExperiment(options, { resume }).result).rejects.toMatchObject({ code: 'run-locked' })
    await writer.release()
    expect((await runExperiment(options, { resume: 'latest' }).result).id).toBe(id)
  })

  it('is refused when it began under other conditions, naming all of them', async () => {
    const options = anExperiment(3, { store: open() })
    const id = await interrupted(options, 1)
    const changed: ExperimentOptions = {
      ...options,
      itemTimeoutMs: 5,
      prompt: 'Please {{task}}',
      model: 'other',
      jury: Object.defineProperty(async () => true, 'name', { value: 'other' }),
      conditions: { region: 'eu' },
    }
    await expect(runExperiment(changed, { resume: id }).result).rejects.toMatchObject({
      code: 'run-mismatch',
      details: {
        id,
        problem: expect.stringMatching(
          /^Run \S+ cannot be resumed: it began under other conditions\.\n(?: {2}.*\n?){5,}$/,
        ),
        differences: expect.arrayContaining(
          ['itemTimeoutMs', 'prompt', 'model', 'jury', 'region'].map((condition) =>
            expect.objectContaining({ condition }),
          ),
        ),
      },
    })
    // Nothing was changed by trying.
    expect((await runExperiment(options, { resume: id }).result).status).toBe('completed')
  })

  it.each([
    ['fewer items', (items: readonly InlineItem[]) => items.slice(0, 2), 'items'],
    [
      'another task of an item that is left',
      (items: readonly InlineItem[]) => items.with(2, { ...items[2]!, task: 'x' }),
      'dataset',
    ],
  ])('is refused with %s', async (_, change, condition) => {
    const options = anExperiment(3, { store: open() })
    const id = await interrupted(options, 1)
    const run = runExperiment({ ...options, dataset: change(someItems(3)) }, { resume: id })
    await expect(run.result).rejects.toMatchObject({ code: 'run-mismatch', details: { differences: [{ condition }] } })
  })

  it('is not widened by a narrower filter, also when what it leaves out has run', async () => {
    const options = anExperiment(3, { store: open() })
    const id = await interrupted(options, 1)
    const narrower = { ...options, filter: { id: ['item-2', 'item-3'] } }
    await expect(runExperiment(narrower, { resume: id, widen: true }).result).rejects.toMatchObject({
      code: 'run-mismatch',
      details: { differences: [{ condition: 'items', baseline: ['item-1'] }] },
    })
  })

  it('may have a changed item that has run', async () => {
    const options = anExperiment(3, { store: open() })
    const id = await interrupted(options, 1)
    const dataset = someItems(3).with(0, { id: 'item-1', task: 'rewritten' })
    const { items } = await runExperiment({ ...options, dataset }, { resume: id }).result
    expect(items.map(({ task }) => task)).toEqual(['task 1', 'task 2', 'task 3'])
  })

  it('is not widened by fewer repetitions', async () => {
    const options = anExperiment(2, { store: open(), repetitions: 2 })
    const id = await interrupted(options, 1)
    await expect(
      runExperiment({ ...options, repetitions: 1 }, { resume: id, widen: true }).result,
    ).rejects.toMatchObject({
      code: 'run-mismatch',
      details: { differences: [{ condition: 'repetitions', baseline: 2, candidate: 1 }] },
    })
  })

  it('must be there', async () => {
    const run = runExperiment(anExperiment(1, { store: open(), jury: good }), { resume: '20260101T000000000Z-aaaaaa' })
    await expect(run.result).rejects.toMatchObject({ code: 'run-unknown' })
  })
})
