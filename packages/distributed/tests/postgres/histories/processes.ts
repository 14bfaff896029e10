// npx jiti packages/distributed/tests/postgres/histories/processes.ts [HISTORIES] [ROUNDS] [SEED]: histories with real worker processes that are
// killed and stopped past their leases, with wrong clocks, over a scratch server that crashes.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { postgresQueue, postgresStore } from '@jurist/distributed/postgres'
import { seededRandom } from '@jurist/experiment/internal'
import pg from 'pg'
import { createDatabase, type ScratchServer, scratchServer } from '../../../../../tests/postgres/scratch-server.js'
import { type HistoryLog, historyLog, nameOf } from './history-log.js'
import { aRun } from './planned-run.js'
import { type Starting, startWorker, type WorkerProcess } from './worker-processes.js'

const [histories = 6, rounds = 1, seed = 1] = process.argv.slice(2).map(Number)
const { uniform: random } = seededRandom(seed)
/** So many that they last longer than the faults. */
const trialsEach = 100
const longestMs = 2_500
const heartbeatMs = 10_000
const faultsMs = 25_000

/** A lease whose worker was killed, until another one has the trial. */
interface Redelivery {
  readonly lease: string
  readonly killedAt: number
  tookMs: number | null
}

interface Round {
  readonly server: ScratchServer
  readonly starting: Starting
  readonly workers: Set<WorkerProcess>
  readonly redeliveries: Redelivery[]
  readonly crashes: { readonly from: number; to: number }[]
  count: number
}

const between = (from: number, to: number) => from + random() * (to - from)

function start(round: Round): WorkerProcess {
  round.count += 1
  const clockMs = round.count % 3 === 0 ? between(-10, 10) * 3_600_000 : 0
  const worker = startWorker(`worker-${round.count}`, { ...round.starting, clockMs })
  round.workers.add(worker)
  return worker
}

function kill(round: Round, worker: WorkerProcess): void {
  for (const lease of worker.held) round.redeliveries.push({ lease, killedAt: performance.now(), tookMs: null })
  worker.process.kill('SIGKILL')
  round.workers.delete(worker)
}

/** Kills workers, stops them past their leases and continues them, and crashes the server. */
async function disturb(round: Round, victims: WorkerProcess[]): Promise<void> {
  const until = performance.now() + faultsMs
  const continuing: Promise<void>[] = []
  while (performance.now() < until) {
    await setTimeout(between(500, 2_000))
    const at = Math.floor(random() * victims.length)
    const victim = victims[at]
    if (victim === undefined) continue
    const fate = random()
    if (fate < 0.5) {
      kill(round, victim)
      victims[at] = start(round)
    } else if (fate < 0.93) {
      victim.process.kill('SIGSTOP')
      victims[at] = start(round)
      continuing.push(setTimeout(between(heartbeatMs, heartbeatMs * 2)).then(() => void victim.process.kill('SIGCONT')))
    } else {
      const crash = { from: performance.now(), to: Number.POSITIVE_INFINITY }
      round.crashes.push(crash)
      await round.server.crash()
      await setTimeout(between(200, 4_000))
      await round.server.start()
      crash.to = performance.now()
    }
  }
  await Promise.all(continuing)
}

/** Notes which trials of killed workers others have, as the database says: a process may be stopped before it says so. */
async function watch(pool: pg.Pool, redeliveries: readonly Redelivery[]): Promise<void> {
  const waiting = redeliveries.filter(({ tookMs }) => tookMs === null)
  const { rows } = await pool.query(
    `select lease from jurist.queue_trials where lease = any($1) and state = 'leased'`,
    [waiting.map(({ lease }) => lease)],
  )
  const held = new Set(rows.map(({ lease }) => lease))
  for (const one of waiting) if (!held.has(one.lease)) one.tookMs = performance.now() - one.killedAt
}

async function playRound(server: ScratchServer, address: string) {
  await using queue = postgresQueue(address, { heartbeatMs })
  await using store = postgresStore(address)
  const runs = Array.from({ length: histories }, () => aRun(trialsEach))
  const logs = new Map<string, HistoryLog>(runs.map(({ manifest }) => [manifest.id, historyLog()]))
  await Promise.all([...runs, ...runs].map((run) => queue.plan(run, run.trials)))
  const redeliveries: Redelivery[] = []
  const starting: Starting = {
    ...{ address, runs: runs.map(({ manifest }) => manifest.id), concurrency: 4, longestMs, clockMs: 0 },
    logOf: (run) => logs.get(run) ?? historyLog(),
    leased: () => undefined,
  }
  const round: Round = { server, starting, workers: new Set(), redeliveries, crashes: [], count: 0 }
  const pool = new pg.Pool({ connectionString: address, max: 1 })
  pool.on('error', () => undefined)
  const watching = setInterval(() => watch(pool, redeliveries).catch(() => undefined), 200)
  const victims = Array.from({ length: histories }, () => start(round))
  await disturb(round, victims)
  const giveUp = performance.now() + 120_000
  while ((await queue.runs()).length > 0 && performance.now() < giveUp) await setTimeout(500)
  clearInterval(watching)
  await pool.end()
  // Results that come late are noted before everything is checked.
  await setTimeout(2_000)
  for (const worker of round.workers) worker.process.kill('SIGKILL')
  await Promise.all([...round.workers].map(({ ended }) => ended))
  const violations: string[] = []
  for (const run of runs) {
    const items = (await store.load(run.manifest.id))?.items ?? []
    violations.push(...(logs.get(run.manifest.id)?.violations(run.trials.map(nameOf), items) ?? []))
  }
  return { round, violations, logs: [...logs.values()] }
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'jurist-histories-'))
  const server = await scratchServer(directory)
  await server.start()
  const played: Awaited<ReturnType<typeof playRound>>[] = []
  try {
    for (let at = 0; at < rounds; at += 1)
      played.push(await playRound(server, await createDatabase(server.address, `round_${at}`)))
  } finally {
    await server.crash()
    await rm(directory, { recursive: true, force: true })
  }
  const crashed = (round: Round, { killedAt, tookMs }: Redelivery) =>
    round.crashes.some(
      ({ from, to }) => from < killedAt + (tookMs ?? Number.POSITIVE_INFINITY) && to > killedAt - heartbeatMs,
    )
  const quiet = played.flatMap(({ round }) =>
    round.redeliveries.filter((one) => one.tookMs !== null && !crashed(round, one)),
  )
  const longest = Math.max(0, ...quiet.map(({ tookMs }) => tookMs ?? 0))
  const logs = played.flatMap((one) => one.logs)
  const violations = played.flatMap((one) => one.violations)
  for (const violation of violations) console.error(violation)
  console.log(
    `${histories * rounds} histories of ${trialsEach} trials, ${sum(played.map(({ round }) => round.count))} processes, ` +
      `${sum(played.map(({ round }) => round.redeliveries.length))} trials of killed workers, ` +
      `${sum(played.map(({ round }) => round.crashes.length))} crashes of the server, ` +
      `${sum(logs.map((log) => log.taken()))} taken over, ${sum(logs.map((log) => log.late()))} late results refused, ` +
      `${violations.length} violations; redelivered within ${(longest / 1_000).toFixed(1)} s (of ${quiet.length} without a crash)`,
  )
  process.exitCode = violations.length === 0 && longest <= heartbeatMs + 5_000 ? 0 : 1
}

await main()
