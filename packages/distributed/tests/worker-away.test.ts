import { JuristError } from '@jurist/core'
import type { TrialQueue } from '@jurist/experiment/store-kit'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { runWorker, type WorkerEvent } from '../src/index.js'

afterEach(() => {
  vi.useRealTimers()
})

describe('a worker whose database goes away', () => {
  it('waits for it, however long that takes, and ends when it is stopped', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
    let asked = 0
    const queue = {
      heartbeatMs: 20_000,
      report: async () => undefined,
      leave: async () => undefined,
      async runs() {
        asked += 1
        throw new JuristError('store-failed', 'The database cannot be reached.', {
          path: 'postgres://db.example/results',
        })
      },
    } as unknown as TrialQueue
    const stopping = new AbortController()
    const events: WorkerEvent[] = []
    const worker = runWorker({
      ...{ queue, experiments: [], signal: stopping.signal },
      onEvent: (event) => events.push(event),
    })
    const settled = vi.fn()
    worker.then(settled, settled)
    while (asked === 0) await vi.advanceTimersByTimeAsync(0)
    // Ten minutes are what a trial waits with its result. A worker has one hour and more.
    await vi.advanceTimersByTimeAsync(3_600_000)
    expect(settled).not.toHaveBeenCalled()
    expect(asked).toBeGreaterThan(100)
    expect(events).toContainEqual({ type: 'warning', message: 'The database cannot be reached.' })
    stopping.abort()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await worker).toEqual({ stored: 0, lost: 0, left: 0 })
  })
})
