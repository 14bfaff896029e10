import { jury } from '@jurist/core'
import { correctness } from '@jurist/core/llm'
import { scriptedModel } from '@jurist/core/testing'
import { describe, expect, it } from 'vitest'
import { type ExperimentEvent, runExperiment } from '../../src/index.js'
import { eventLog } from '../../src/run/events.js'
import { memoryStore } from '../../src/store/index.js'
import { anExperiment, eventsOf, ofType } from '../run-support.js'

describe('the events of a run', () => {
  it('tell one trial in order', async () => {
    const run = runExperiment(anExperiment(1))
    const events = await eventsOf(run)
    expect(events.map((event) => (event.type === 'item-phase' ? `${event.type} ${event.phase}` : event.type))).toEqual([
      'experiment-start',
      'item-start',
      'item-phase setup',
      'item-phase agent',
      'item-phase jury',
      'judgment',
      'judgment',
      'item-phase store',
      'item-end',
      'experiment-end',
    ])
    expect(events.every(({ at, runId }) => /Z$/.test(at) && runId === run.runId)).toBe(true)
    expect(ofType(events, 'judgment').map(({ path }) => path)).toEqual(['', '/good'])
    expect(ofType(events, 'experiment-end')).toMatchObject([{ status: 'completed', summary: { passRate: 1 } }])
  })

  it('warn of what a model has to say once', async () => {
    const said = ['It is slow.', 'It is slow.', 'It is old.']
    const model = scriptedModel(...said.map((notice) => ({ text: 'Answer: YES', metadata: { notices: [notice] } })))
    const options = { jury: jury({ judges: { right: correctness({ model }) } }), concurrency: 1 }
    const warnings = ofType(await eventsOf(runExperiment(anExperiment(3, options))), 'warning')
    const notices = warnings.filter(({ code }) => code === 'model-notice')
    expect(notices.map(({ message }) => message)).toEqual(['It is slow.', 'It is old.'])
  })

  it('count up, and each trial is durable when its end is reported', async () => {
    const store = memoryStore()
    const stored: (number | undefined)[] = []
    const run = runExperiment(anExperiment(6, { store, concurrency: 3 }))
    for await (const event of run)
      if (event.type === 'item-end') stored.push((await store.load(run.runId))?.items.length)
    const ends = ofType(await eventsOf(run), 'item-end')
    expect(ends.map(({ done, trials }) => [done, trials])).toEqual([1, 2, 3, 4, 5, 6].map((done) => [done, 6]))
    stored.forEach((count, index) => {
      expect(count).toBeGreaterThan(index)
    })
  })

  it('are replayed from the first one for each iterator, also after the end', async () => {
    const run = runExperiment(anExperiment(3))
    const [first, second] = await Promise.all([eventsOf(run), eventsOf(run)])
    await run.result
    expect(second).toEqual(first)
    expect(await eventsOf(run)).toEqual(first)
  })

  it('end for a run that could not begin, and its result rejects', async () => {
    const run = runExperiment(anExperiment(1, { name: '..' }))
    expect(await eventsOf(run)).toEqual([])
    await expect(run.result).rejects.toMatchObject({ code: 'experiment-invalid' })
  })

  it('tell that a store failed, and everything stored before is safe', async () => {
    const inner = memoryStore()
    let appended = 0
    const store = {
      ...inner,
      open: async (manifest: Parameters<typeof inner.open>[0]) => {
        const writer = await inner.open(manifest)
        return {
          ...writer,
          append: async (item: Parameters<typeof writer.append>[0]) => {
            appended += 1
            if (appended === 3) throw new Error('disk full')
            await writer.append(item)
          },
        }
      },
    }
    const run = runExperiment(anExperiment(6, { store, concurrency: 1 }))
    await expect(run.result).rejects.toThrow('disk full')
    const events = await eventsOf(run)
    expect(events.at(-1)).toMatchObject({ type: 'experiment-end', status: 'failed', summary: { passCount: 2 } })
    expect((await inner.load(run.runId))?.items).toHaveLength(2)
  })
})

describe('a reporter', () => {
  it('receives everything', async () => {
    const told: ExperimentEvent[] = []
    const run = runExperiment(anExperiment(2), { onEvent: (event) => void told.push(event) })
    await run.result
    expect(told).toEqual(await eventsOf(run))
  })

  it.each([
    [
      'throws',
      () => () => {
        throw new Error('broken')
      },
    ],
    [
      'rejects',
      () => async () => {
        throw new Error('broken')
      },
    ],
  ])('that %s is switched off with a warning and fails nothing', async (_, make) => {
    let calls = 0
    const fail = make()
    const run = runExperiment(anExperiment(3, { concurrency: 1 }), {
      onEvent(event) {
        if (event.type !== 'item-end') return
        calls += 1
        return fail()
      },
    })
    expect((await run.result).passRate).toBe(1)
    expect(calls).toBe(1)
    const warnings = ofType(await eventsOf(run), 'warning')
    expect(warnings).toMatchObject([{ code: 'reporter-failed', message: expect.stringContaining('broken') }])
  })

  it('that promises something is waited for', async () => {
    let written = false
    const onEvent = async ({ type }: ExperimentEvent) => {
      if (type !== 'experiment-end') return
      await new Promise((resolve) => setTimeout(resolve, 20))
      written = true
    }
    await runExperiment(anExperiment(1), { onEvent }).result
    expect(written).toBe(true)
  })
})

describe('the log', () => {
  const warning = (message: string): ExperimentEvent => ({
    at: '2026-11-21T00:00:00.000Z',
    runId: 'r',
    type: 'warning',
    code: 'x',
    message,
    itemId: null,
  })

  function droppedIn(events: readonly ExperimentEvent[]) {
    const [first, second] = ofType(events, 'warning')
    return { count: events.length, code: first?.code, message: first?.message, first: second?.message }
  }

  it('keeps the last 1,000 events for a late iterator, and says once that older ones are gone', async () => {
    const log = eventLog()
    for (let index = 0; index < 1_500; index++) log.push(warning(String(index)))
    await log.end()
    const message = expect.stringContaining('500')
    expect(droppedIn(await eventsOf(log))).toEqual({ count: 1_001, code: 'events-dropped', message, first: '500' })
  })

  it('keeps the last 100 where a reporter gets them all', async () => {
    const log = eventLog()
    const reported: ExperimentEvent[] = []
    log.listen((event) => void reported.push(event))
    for (let index = 0; index < 150; index++) log.push(warning(String(index)))
    await log.end()
    expect(reported).toHaveLength(150)
    const message = expect.stringContaining('50')
    expect(droppedIn(await eventsOf(log))).toEqual({ count: 101, code: 'events-dropped', message, first: '50' })
  })

  it('keeps the last 10,000 events for an iterator that is slow', async () => {
    const log = eventLog()
    log.push(warning('begun'))
    const iterator = log[Symbol.asyncIterator]()
    await iterator.next()
    for (let index = 0; index < 10_500; index++) log.push(warning(String(index)))
    await log.end()
    const events: ExperimentEvent[] = []
    for await (const event of { [Symbol.asyncIterator]: () => iterator }) events.push(event)
    const message = expect.stringContaining('500')
    expect(droppedIn(events)).toEqual({ count: 10_001, code: 'events-dropped', message, first: '500' })
  })
})
