import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

/** The root of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url))

/** The middle value. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}

/**
 * Runs a whole process and answers with its wall time in milliseconds and what it printed on both channels; stops the benchmark when the
 * process fails.
 */
export function time(argv, options = {}) {
  const startedAt = performance.now()
  const [file, ...rest] = argv
  const { status, stdout, stderr } = spawnSync(file, rest, { encoding: 'utf8', maxBuffer: 1e9, ...options })
  const elapsedMs = performance.now() - startedAt
  if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${status}:\n${stdout}\n${stderr}`)
  return { elapsedMs, stdout, stderr }
}

/**
 * Runs several measures in turn, A B A B …, so that a drift of the machine meets all alike; one round is not counted.
 * Answers with the list of results of each.
 */
export function alternate(measures, runs = 5) {
  const results = measures.map(() => [])
  for (let round = 0; round <= runs; round++)
    measures.forEach((measure, index) => {
      const result = measure()
      if (round > 0) results[index].push(result)
    })
  return results
}

/** Runs `body` with a directory that is gone afterwards. */
export async function withDirectory(body, parent = tmpdir()) {
  const directory = mkdtempSync(join(parent, 'jurist-bench-'))
  try {
    return await body(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/**
 * Runs `body` with the address of a new database, which is gone afterwards, on the server that `JURIST_TEST_POSTGRES` names;
 * without one, says so and answers with no rows.
 */
export async function withDatabase(question, body) {
  const server = process.env.JURIST_TEST_POSTGRES
  if (server === undefined) {
    console.error(
      `${question}: not measured. Name a server: JURIST_TEST_POSTGRES=postgres://user:password@host/postgres`,
    )
    return []
  }
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  const name = `bench_${question}_${process.pid}`
  await client.query(`create database ${name}`)
  try {
    const address = new URL(server)
    address.pathname = `/${name}`
    return await body(address.href)
  } finally {
    await client.query(`drop database ${name} with (force)`)
    await client.end()
  }
}

/** One row of the table: what was measured, the figure, what it had to reach, and whether it did. */
export function row(question, figure, target, reached) {
  return { question, figure, target, reached }
}

/** The machine, for the head of a table. */
export function machine() {
  const [cpu] = cpus()
  return `Node ${process.version}, ${cpus().length} × ${cpu?.model ?? 'unknown'}, load ${loadavg()[0].toFixed(2)}`
}

export const seconds = (ms) => `${(ms / 1000).toFixed(2)} s`
export const milliseconds = (ms) => `${Math.round(ms)} ms`
export const times = (ratio) => `${ratio.toFixed(2)} ×`
