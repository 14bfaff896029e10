import { setTimeout } from 'node:timers/promises'
import { outputText } from '@jurist/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compare } from '../../src/compare/index.js'
import { completed, type ExperimentOptions, runSession, type SessionRun } from '../../src/index.js'
import { memoryStore } from '../../src/store/index.js'

const items = 60

/** The delay in ms of each trial, and how many trials ever began. */
interface History {
  readonly delays: readonly number[]
  began: number
}

/** One table of outcomes, whatever the history of the trials. */
function experimentOf(history: History): ExperimentOptions<'idle' | 'candidate' | 'other'> {
  const agent = (bad: number) => async (task: { readonly prompt: string }) => {
    history.began += 1
    await setTimeout(history.delays[history.began % history.delays.length] ?? 0)
    return completed({ output: (Number(task.prompt) * 7919) % items < bad ? 'wrong' : 'right' })
  }
  return {
    name: 'sums',
    dataset: Array.from({ length: items }, (_, place) => ({ id: `q${place}`, task: String(place) })),
    jury: outputText({ equals: 'right' }),
    variants: { idle: { agent: agent(30) }, candidate: { agent: agent(3) }, other: { agent: agent(24) } },
  }
}

/** The stops and all figures, without what ran ahead of a stop. */
function figuresOf({ results }: Awaited<SessionRun<'idle' | 'candidate' | 'other'>['result']>) {
  const { idle, candidate, other } = results
  if (idle === undefined || candidate === undefined || other === undefined) throw new Error('Three variants run.')
  return [candidate, other].map((one) => {
    const { passRate, sequential } = compare(idle, one)
    const stop = one.decided && { ...one.decided, ahead: [] }
    return { stop, status: one.status, passRate, sequential: sequential && { ...sequential, ahead: 0 } }
  })
}

const history = fc.record({
  concurrency: fc.integer({ min: 1, max: 16 }),
  delays: fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 40 }),
  /** After how many more trials the session is cancelled, one after the other. */
  cancels: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 3 }),
})

test('one stop and one set of figures, whatever the concurrency, the order in which trials end, and cancels', async () => {
  const run = async (concurrency: number, delays: readonly number[], cancels: readonly number[]) => {
    const own: History = { delays, began: 0 }
    const experiment = { ...experimentOf(own), concurrency, store: memoryStore() }
    for (const [turn, more] of [...cancels, Number.POSITIVE_INFINITY].entries()) {
      const cancel = new AbortController()
      const last = own.began + more
      const resume = turn === 0 ? {} : { resume: true, session: 'one' }
      const session = runSession(experiment, {
        ...{ session: 'one', until: 'decided', signal: cancel.signal },
        ...resume,
        onEvent: () => {
          if (own.began >= last) cancel.abort()
        },
      })
      const ended = await session.result
      if (Object.values(ended.results).length === 3 && ended.session.status === 'completed') return figuresOf(ended)
    }
    throw new Error('The last turn is not cancelled.')
  }
  const expected = await run(1, [0], [])
  expect(expected[0]).toMatchObject({ stop: { why: 'improved' } })
  await fc.assert(
    fc.asyncProperty(history, async ({ concurrency, delays, cancels }) => {
      expect(await run(concurrency, delays, cancels)).toEqual(expected)
    }),
    { numRuns: Number(process.env['JURIST_HISTORIES'] ?? 12) },
  )
})
