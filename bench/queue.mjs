import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { postgresQueue } from '@jurist/distributed/postgres'
import { aResult } from '@jurist/experiment/testing'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { median, root, row, times, withDatabase } from './measure.mjs'

const program = join(root, 'bench/programs/queue-worker.mjs')
const trials = 5_000
const rounds = 3

/**
 * How many trials that need no time do two worker processes run in a second over `postgresQueue`, beside pg-boss alone, whose
 * results are rows of a table? What is between them is the fence: one transaction at a time for each run.
 */
export function queue() {
  return withDatabase('queue', async (address) => {
    const [ours, bare] = [[], []]
    for (let round = 0; round < rounds; round++) {
      ours.push(await perSecond([program, address, 'queue', await planRun(address)]))
      await planBare(address)
      bare.push(await perSecond([program, address, 'bare', 'trials']))
    }
    const ratio = median(ours) / median(bare)
    const figure = `${median(ours)}, ${times(ratio)} pg-boss alone (${median(bare)})`
    return [row('trials a second that need no time, two workers of 8', figure, 'at least 0.6 ×', ratio >= 0.6)]
  })
}

const itemOrder = Array.from({ length: trials }, (_, index) => `item-${index}`)

async function planRun(address) {
  const { items, status, stopReason, endedAt, durationMs, counts, passRate, ...manifest } = aResult({ planned: trials })
  const limits = { usd: null, tokens: null, includeJudges: true, bailAfter: null, outageAfter: null, timeoutMs: null }
  const spent = { trials: 0, usd: 0, tokens: 0, failures: 0, outages: 0, outage: null }
  const planner = postgresQueue(address)
  await planner.plan(
    { manifest: { ...manifest, itemOrder }, limits, spent, labels: [], requireSameCommit: true },
    itemOrder.map((itemId) => ({ itemId, repetition: 1 })),
  )
  await planner[Symbol.asyncDispose]()
  return manifest.id
}

async function planBare(address) {
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  await client.query('drop schema if exists bare cascade')
  const boss = new PgBoss({ connectionString: address, schema: 'bare', supervise: false, schedule: false })
  await boss.start()
  await boss.createQueue('trials', { heartbeatSeconds: 20 })
  await boss.insert(
    'trials',
    itemOrder.map((itemId) => ({ data: { itemId } })),
  )
  await boss.stop({ graceful: false })
  await client.query('create table bare.results (id uuid primary key, record text not null)')
  await client.end()
}

/** Starts two workers, and waits for their end. */
async function perSecond(words) {
  const startedAt = performance.now()
  const workers = [1, 2].map(() => spawn(process.execPath, words, { stdio: 'inherit' }))
  const codes = await Promise.all(workers.map(async (worker) => (await once(worker, 'exit'))[0]))
  if (codes.some((code) => code !== 0)) throw new Error(`a worker ended with ${codes.join(', ')}`)
  return Math.round((trials * 1_000) / (performance.now() - startedAt))
}
