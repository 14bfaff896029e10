// node bullmq-worker.mjs ADDRESS MODULES PORT: takes trials that need no time from the queue `trials` of BullMQ, 8 at a time, until
// none is left. MODULES is the directory where BullMQ is installed, PORT that of Redis. Results are rows of PostgreSQL.
// With a fourth argument, trials take that many milliseconds, and locks end after 4 seconds.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { anItem } from '@jurist/experiment/testing'
import pg from 'pg'

const [address, modules, port, trialMs = '0'] = process.argv.slice(2)
const { Queue, Worker } = createRequire(join(modules, 'package.json'))('bullmq')
const connection = { host: '127.0.0.1', port: Number(port) }
const pool = new pg.Pool({ connectionString: address })
const task = 'x'.repeat(1_000)
const locks = trialMs === '0' ? {} : { lockDuration: 4_000, stalledInterval: 2_000 }

const worker = new Worker(
  'trials',
  async ({ data }) => {
    if (trialMs !== '0') {
      console.log(`begins ${data.itemId}`)
      await setTimeout(Number(trialMs))
    }
    await pool.query('insert into bull.results (trial, worker, record) values ($1, $2, $3)', [
      data.itemId,
      process.pid,
      JSON.stringify(anItem({ ...data, task })),
    ])
  },
  { connection, concurrency: 8, ...locks },
)
// That a lock was lost, the worker finds when the result is stored already.
worker.on('error', (error) => console.log(`error ${error.message}`))

const queue = new Queue('trials', { connection })
while (Object.values(await queue.getJobCounts('waiting', 'active')).some((jobs) => jobs > 0)) await setTimeout(20)
await worker.close()
await queue.close()
await pool.end()
