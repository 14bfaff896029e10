import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { root } from './measure.mjs'

const program = join(root, 'bench/programs/bullmq-worker.mjs')
const version = '6.7.0'

/**
 * BullMQ in its own directory and a Redis that keeps nothing, neither of which the project needs otherwise. `undefined`, with
 * the reason on the error channel, where one of them is missing.
 */
export async function startBullmq() {
  const skip = (reason) => console.error(`queue: BullMQ is not measured: ${reason}`)
  if (spawnSync('redis-server', ['--version']).status !== 0)
    return skip('there is no redis-server. Install it: apt-get install redis-server')
  const modules = mkdtempSync(join(tmpdir(), 'jurist-bullmq-'))
  const remove = () => rmSync(modules, { recursive: true, force: true })
  const words = ['install', '--no-audit', '--no-fund', '--prefix', modules, `bullmq@${version}`, 'ioredis@5']
  if (spawnSync('npm', words, { cwd: modules, stdio: 'ignore' }).status !== 0) {
    remove()
    return skip(`npm cannot install bullmq@${version}`)
  }
  const port = await freePort()
  const settings = ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', modules]
  const redis = spawn('redis-server', settings.map(String), { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: redis.stdout })) if (line.includes('Ready to accept')) break
  redis.stdout.resume()
  return {
    modules,
    port,
    async end() {
      redis.kill()
      await once(redis, 'exit')
      remove()
    },
  }
}

/** The arguments of a worker, and its program. */
export function bullmqWorker({ modules, port }, address, ...more) {
  return [program, address, modules, String(port), ...more]
}

/** Adds trials to the queue, which is created again, as is the table of the results. */
export async function planBullmq({ modules, port }, address, itemIds) {
  const { Queue } = createRequire(join(modules, 'package.json'))('bullmq')
  const queue = new Queue('trials', { connection: { host: '127.0.0.1', port } })
  await queue.obliterate({ force: true })
  const options = { attempts: 3, removeOnComplete: true }
  await queue.addBulk(itemIds.map((itemId) => ({ name: 'trial', data: { itemId }, opts: options })))
  await queue.close()
  await ask(
    address,
    'create schema if not exists bull; drop table if exists bull.results; create table bull.results (id bigserial primary key, trial text, worker integer, record text not null)',
  )
}

/**
 * How many results of one trial are stored when its worker is stopped past the end of its lock, and continues when another worker
 * has run the trial; and what the queue says then.
 */
export async function lateBullmq(bullmq, address) {
  await planBullmq(bullmq, address, ['late'])
  const start = () =>
    spawn(process.execPath, bullmqWorker(bullmq, address, '1000'), { stdio: ['ignore', 'pipe', 'inherit'] })
  const late = start()
  const lines = []
  const begun = new Promise((resolve) => {
    createInterface({ input: late.stdout }).on('line', (line) => {
      lines.push(line)
      if (line.startsWith('begins')) resolve()
    })
  })
  await begun
  late.kill('SIGSTOP')
  const other = start()
  other.stdout.resume()
  await once(other, 'exit')
  late.kill('SIGCONT')
  await Promise.race([once(late, 'exit'), setTimeout(10_000).then(() => late.kill('SIGKILL'))])
  const [{ count }] = await ask(address, "select count(*)::int as count from bull.results where trial = 'late'")
  const error = lines.find((line) => line.startsWith('error '))?.slice('error '.length)
  return { stored: count, error }
}

async function ask(address, text) {
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}
