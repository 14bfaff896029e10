import { outputText } from '@jurist/core'
import { runWorker, type WorkerEvent } from '@jurist/distributed'
import { postgresStore } from '@jurist/distributed/postgres'
import { completed, type ExperimentOptions, runExperiment } from '@jurist/experiment'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { newDatabase, noPostgres } from '../../../../tests/postgres/server.js'

const experiment: ExperimentOptions = {
  name: 'sums',
  dataset: ['one', 'two', 'three', 'four'].map((id) => ({ id, task: `What is ${id}?` })),
  agent: async () => completed({ output: 'yes', costUsd: 0.5 }),
  jury: outputText({ equals: 'yes' }),
}

/** A run that is planned, and whose database can be changed by hand. */
async function plannedRun(options: ExperimentOptions = experiment) {
  const address = await newDatabase()
  const store = postgresStore(address)
  const queue = store.queue()
  const { id } = await runExperiment({ ...options, store }, { distribute: { queue, detach: true } }).overview
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  return {
    ...{ store, queue, id },
    change: (statement: string) => client.query(statement),
    async [Symbol.asyncDispose]() {
      await client.end()
      await queue[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
    },
  }
}

const loss = (worker: string) => ({ worker, durationMs: 5 })

describe.skipIf(noPostgres !== undefined)('a worker (needs PostgreSQL)', () => {
  test('tries a trial again whose workers were lost, and gives it up after the third', async () => {
    await using planned = await plannedRun()
    const { queue, store, id } = planned
    const set = (item: string, losses: readonly object[]) =>
      planned.change(
        `update jurist.queue_trials set losses = '${JSON.stringify(losses)}' where name like '%"${item}"%'`,
      )
    await set('one', [loss('w1'), loss('w2')])
    await set('two', [loss('w1'), loss('w2'), loss('w3')])
    const summary = await runWorker({ queue, experiments: [experiment], exitWhenIdle: true })
    expect(summary).toEqual({ stored: 4, lost: 0, left: 0 })
    const run = await store.load(id)
    expect(run?.status).toBe('completed')
    const [one, two, three] = run?.items ?? []
    expect(one?.passed).toBe(true)
    expect(one?.attempts).toHaveLength(2)
    expect(one?.attempts[0]).toMatchObject({
      failure: { code: 'worker-lost', infrastructure: true, message: 'The worker w1 was lost while it ran the trial.' },
      costUsd: null,
    })
    expect(two).toMatchObject({ passed: null, agent: 'setup-error', costUsd: null })
    expect(two?.failure).toMatchObject({ code: 'worker-lost', infrastructure: true })
    expect(two?.attempts).toHaveLength(3)
    expect(three?.attempts).toEqual([])
    expect(three?.metadata['worker']).toMatchObject({ id: expect.any(String) })
  })

  test('makes no path of an id that a run in the database has', async () => {
    await using planned = await plannedRun()
    const { queue, id } = planned
    await planned.change(`update jurist.runs set head = replace(head, '"id":"${id}"', '"id":"../../../${id}"')`)
    const events: WorkerEvent[] = []
    const onEvent = (event: WorkerEvent) => events.push(event)
    await runWorker({ queue, experiments: [experiment], exitWhenIdle: true, onEvent })
    expect(events.filter(({ type }) => type !== 'worker-start')).toEqual([
      { type: 'run-refused', run: `../../../${id}`, reason: expect.stringContaining('is not a run id') },
    ])
  })

  test('says what is wrong with its options', async () => {
    await expect(runWorker({ queue: null, experiments: [experiment], concurrency: 0 } as never)).rejects.toMatchObject({
      code: 'option-invalid',
      message: expect.stringMatching(/"queue" must be .*"concurrency" must be an integer of at least 1/),
    })
  })

  test('takes no trial of an experiment, a variant or an item that it does not have', async () => {
    await using planned = await plannedRun()
    const { queue, id } = planned
    const reasons = async (experiments: readonly ExperimentOptions[]) => {
      const events: WorkerEvent[] = []
      await runWorker({ queue, experiments, exitWhenIdle: true, onEvent: (event) => events.push(event) })
      return events.flatMap((event) => (event.type === 'run-refused' ? [event.reason] : []))
    }
    const refused = `This worker does not fit run ${id}: `
    expect(await reasons([])).toEqual([`${refused}The config has no experiment sums.`])
    const fewer = { ...experiment, dataset: [{ id: 'one', task: 'What is one?' }] }
    expect(await reasons([fewer])).toEqual([expect.stringContaining('two')])
    const other = { ...experiment, dataset: [{ id: 'one', task: 'Now what?' }, ...(experiment.dataset as []).slice(1)] }
    expect(await reasons([other])).toEqual([expect.stringContaining('dataset')])
    const slower = { ...experiment, conditions: { city: 'Ulm' }, model: 'large' }
    expect(await reasons([slower])).toEqual([expect.stringMatching(/city is not set in the run and Ulm here/)])
    expect((await queue.progress(id))?.ready).toBe(4)
  })

  test('runs with the limits that the run was planned with', async () => {
    await using planned = await plannedRun({
      ...experiment,
      itemTimeoutMs: 1_234,
      judgeFailedRuns: true,
      repetitions: 2,
    })
    const { queue, store, id } = planned
    const summary = await runWorker({ queue, experiments: [experiment], exitWhenIdle: true })
    expect(summary.stored).toBe(8)
    expect((await store.load(id))?.conditions['itemTimeoutMs']).toBe(1_234)
  })
})
