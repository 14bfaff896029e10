// node queue-worker.mjs ADDRESS queue RUN, or ADDRESS bare QUEUE: takes trials that need no time, 8 at a time, until none is left.
// With `bare`, pg-boss alone delivers the same jobs, and their results are rows of a table.
import { setTimeout } from 'node:timers/promises'
import { postgresQueue } from '@jurist/distributed/postgres'
import { anItem } from '@jurist/experiment/testing'
import pg from 'pg'
import { PgBoss } from 'pg-boss'

const [address, kind, name] = process.argv.slice(2)
const atOnce = 8
const task = 'x'.repeat(1_000)
const worker = String(process.pid)

async function work() {
  const queue = postgresQueue(address)
  for (;;) {
    const leased = await queue.lease({ worker, runs: [name], max: atOnce })
    await Promise.all(leased.map(({ lease, itemId }) => queue.store(lease, anItem({ itemId, task }), null)))
    if (leased.length > 0) continue
    if ((await queue.progress(name)) === undefined) break
    await setTimeout(20)
  }
  await queue[Symbol.asyncDispose]()
}

async function workBare() {
  const boss = new PgBoss({ connectionString: address, schema: 'bare', supervise: false, schedule: false })
  boss.on('error', () => undefined)
  await boss.start()
  const pool = new pg.Pool({ connectionString: address })
  for (;;) {
    const jobs = await boss.fetch(name, { batchSize: atOnce })
    if (jobs.length === 0) break
    await Promise.all(
      jobs.map(async ({ id, data, retryCount }) => {
        await pool.query('insert into bare.results (id, record) values ($1, $2)', [
          id,
          JSON.stringify(anItem({ ...data, task })),
        ])
        await boss.complete(name, { id, retryCount })
      }),
    )
  }
  await boss.stop({ graceful: false })
  await pool.end()
}

await (kind === 'queue' ? work() : workBare())
