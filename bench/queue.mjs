import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { aResult } from '@jurist/experiment/testing'
import { postgresQueue } from '@jurist/postgres'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { bullmqWorker, lateBullmq, planBullmq, startBullmq } from './bullmq.mjs'
import { median, root, row } from './measure.mjs'

const program = join(root, 'bench/programs/queue-worker.mjs')
const server = process.env.JURIST_TEST_POSTGRES
const trials = 5_000
const rounds = 3

/**
 * How many trials that need no time do two worker processes run in a second over `postgresQueue`, beside pg-boss alone, and beside
 * BullMQ with its results in PostgreSQL? `JURIST_TEST_POSTGRES` is the address of a server where a database can be made.
 */
export async function queue() {
  if (server === undefined) {
    console.error('queue: not measured. Name a server: JURIST_TEST_POSTGRES=postgres://user:password@host/postgres')
    return []
  }
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  const name = `bench_queue_${process.pid}`
  await client.query(`create database ${name}`)
  try {
    const address = new URL(server)
    address.pathname = `/${name}`
    return await measure(address.href)
  } finally {
    await client.query(`drop database ${name} with (force)`)
    await client.end()
  }
}

async function measure(address) {
  const bullmq = await startBullmq()
  try {
    const [ours, bare, bull] = [[], [], []]
    for (let round = 0; round < rounds; round++) {
      ours.push(await perSecond([program, address, 'queue', await planRun(address)]))
      await planBare(address)
      bare.push(await perSecond([program, address, 'bare', 'trials']))
      if (bullmq === undefined) continue
      await planBullmq(bullmq, address, itemOrder)
      bull.push(await perSecond(bullmqWorker(bullmq, address)))
    }
    const beside = bullmq === undefined ? '' : `, BullMQ with results in PostgreSQL ${median(bull)}`
    const figure = `${median(ours)}, pg-boss alone ${median(bare)}${beside}`
    const speed = row('trials a second, two workers of 8', figure, 'at least 20', median(ours) >= 20)
    return bullmq === undefined ? [speed] : [speed, await lateRow(bullmq, address)]
  } finally {
    await bullmq?.end()
  }
}

/** What ours does then, the histories say. */
async function lateRow(bullmq, address) {
  const { stored, error } = await lateBullmq(bullmq, address)
  const figure = `${stored}; the queue says: ${error}`
  return row(
    'results that BullMQ and PostgreSQL store of a trial whose worker was stopped past its lock',
    figure,
    '–',
    true,
  )
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
