import { setTimeout } from 'node:timers/promises'
import { outputText } from '@jurist/core'
import { runWorker } from '@jurist/distributed'
import { postgresStore } from '@jurist/distributed/postgres'
import { completed, type ExperimentOptions, runSession } from '@jurist/experiment'
import { compare } from '@jurist/experiment/compare'
import type { ExperimentResult } from '@jurist/experiment/result'
import { memoryStore } from '@jurist/experiment/store'
import { describe, expect, test } from 'vitest'
import { newDatabase, noPostgres } from '../../../../tests/postgres/server.js'

const items = 36

/** An agent that answers by a table of outcomes, after a delay of its own, so that trials end in another order than they start. */
const agent = (bad: number) => async (task: { readonly prompt: string }) => {
  const place = Number(task.prompt)
  await setTimeout((place * 37) % 23)
  return completed({ output: (place * 7919) % items < bad ? 'wrong' : 'right' })
}
const experiment: ExperimentOptions<'idle' | 'candidate' | 'other'> = {
  name: 'sums',
  dataset: Array.from({ length: items }, (_, place) => ({ id: `q${place}`, task: String(place) })),
  jury: outputText({ equals: 'right' }),
  variants: { idle: { agent: agent(18) }, candidate: { agent: agent(2) }, other: { agent: agent(14) } },
}

/** A comparison, without what ran ahead of its stop. */
function figures([one, other]: readonly ExperimentResult[]) {
  if (one === undefined || other === undefined) throw new Error('Two runs are compared.')
  const { passRate, sequential } = compare(one, other)
  return { passRate, sequential: sequential && { ...sequential, ahead: 0 } }
}

/** What a stop is, without what ran ahead of it. */
const stopOf = ({ status, stopReason, decided }: ExperimentResult) => ({
  ...{ status, stopReason },
  decided: decided && { ...decided, ahead: [] },
})

describe.skipIf(noPostgres !== undefined)('workers on one database (needs PostgreSQL)', () => {
  test.each([
    ['variants', {}],
    ['a threshold', { threshold: 0.7 }],
  ])('stop %s where one process does, however many they are, with or without one that follows', async (_, rule) => {
    const until = { until: 'decided' as const, ...rule }
    const alone = await runSession({ ...experiment, store: memoryStore() }, until).result
    const expected = Object.values(alone.results).map(stopOf)
    expect(expected[1]).toMatchObject({ stopReason: 'decided', status: 'completed' })
    for (const { workers, detach } of [
      { workers: [1], detach: false },
      { workers: [2, 5, 3], detach: true },
    ]) {
      await using store = postgresStore(await newDatabase())
      await using queue = store.queue()
      const session = runSession({ ...experiment, store }, { ...until, distribute: { queue, detach } })
      if (detach) await session.result
      const given = { queue, experiments: [experiment], exitWhenIdle: true }
      if (!detach) while ((await queue.runs()).length < 3) await setTimeout(20)
      await Promise.all(workers.map((concurrency) => runWorker({ ...given, concurrency })))
      const ids = Object.values((await session.result).results).map(({ id }) => id)
      const ended = (await Promise.all(ids.map((id) => store.load(id)))).flatMap((run) => run ?? [])
      expect(ended.map(stopOf)).toEqual(expected)
      expect(figures(ended)).toEqual(figures(Object.values(alone.results)))
      // Few items ran ahead: the variants ran item by item.
      const after = Math.max(...expected.map(({ decided }) => decided?.after ?? items))
      const most = after + workers.reduce((sum, one) => sum + one, 0)
      for (const run of ended) expect(new Set(run.items.map(({ itemId }) => itemId)).size).toBeLessThanOrEqual(most)
    }
  })
})
