import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  directoryArtifacts,
  type PostgresPool,
  type PostgresStoreOptions,
  postgresQueue,
  postgresStore,
} from '@jurist/distributed/postgres'
import { anItem } from '@jurist/experiment/testing'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres, scratchServer } from '../../../../tests/postgres/scratch-server.js'
import { newDatabase, noPostgres, password } from '../../../../tests/postgres/server.js'
import { aRun } from './histories/planned-run.js'
import { makeOlder } from './make-older.js'

const made: string[] = []
afterAll(async () => {
  for (const directory of made) await rm(directory, { recursive: true, force: true })
})

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'jurist-queue-'))
  made.push(directory)
  return directory
}

function withResolvers() {
  let resolve = () => {}
  const promise = new Promise<void>((given) => {
    resolve = given
  })
  return { promise, resolve: () => resolve() }
}

describe('an option', () => {
  test.each([
    [{ heartbeatMs: 9_000 }, '"heartbeatMs" must be at least 10,000'],
    [{ heartbeatMs: 10_500 }, 'in whole seconds'],
    [{ schema: 'x'.repeat(46) }, 'at most 45'],
    [{ leaseMs: 0 }, 'leaseMs'],
    [{ hearbeatMs: 20_000 }, 'hearbeatMs'],
  ])('%j is refused', (options, message) => {
    expect(() => postgresQueue('postgres://localhost/x', options as PostgresStoreOptions)).toThrow(message)
  })

  test('the address of a server that does not run is named, without its password', async () => {
    await using queue = postgresQueue(`postgres://jurist:${password}@127.0.0.1:1/results`)
    const failure: unknown = await queue.runs().catch((thrown: unknown) => thrown)
    expect(failure).toMatchObject({ code: 'store-failed', message: expect.stringContaining('cannot be reached') })
    expect(String(failure)).not.toContain(password)
  })
})

describe.skipIf(noPostgres !== undefined)('postgresQueue (needs PostgreSQL)', () => {
  let address = ''
  let pool: pg.Pool
  beforeAll(async () => {
    address = await newDatabase()
    pool = new pg.Pool({ connectionString: address })
    return () => pool.end()
  })

  /** Leases the only trial of a new run, with a workspace that says `text`. */
  async function leasedWith(options: PostgresStoreOptions, text: string) {
    const queue = postgresQueue(address, options)
    const run = aRun(1)
    await queue.plan(run, run.trials)
    const directory = await newDirectory()
    await mkdir(join(directory, 'workspaces/item-0-1'), { recursive: true })
    await writeFile(join(directory, 'workspaces/item-0-1/note.txt'), text)
    const [lease] = await queue.lease({ worker: 'w', runs: [run.manifest.id], max: 1 })
    return { queue, run, directory, lease: lease?.lease ?? '', id: run.manifest.id }
  }
  const item = anItem({ itemId: 'item-0', workspacePath: 'workspaces/item-0-1' })

  test.each([
    ['the database', async () => ({})],
    ['a directory', async () => ({ artifacts: directoryArtifacts(await newDirectory()) })],
  ] as const)(
    'files of a trial are kept in %s; those of a worker that comes too late are not',
    async (_, optionsOf) => {
      const options = await optionsOf()
      const { queue, run, directory, lease, id } = await leasedWith(options, 'late')
      await using _queue = queue
      await makeOlder(pool, { run: id }, 3_600_000)
      const [taken] = await queue.lease({ worker: 'other', runs: [id], max: 1 })
      const other = await newDirectory()
      await mkdir(join(other, 'workspaces/item-0-1'), { recursive: true })
      await writeFile(join(other, 'workspaces/item-0-1/note.txt'), 'in time')
      expect(await queue.store(taken?.lease ?? '', item, other)).toBe('stored')
      expect(await queue.store(lease, item, directory)).toBe('lost')
      // The worker removes its files itself: it may have to store them again.
      expect(existsSync(join(other, 'workspaces/item-0-1/note.txt'))).toBe(true)
      await using store = postgresStore(address, options)
      const to = await newDirectory()
      await store.fetchFiles?.(id, to)
      const kept = join(to, run.manifest.experimentName, id, 'workspaces/item-0-1')
      expect(readFileSync(join(kept, 'note.txt'), 'utf8')).toBe('in time')
      const { rows } = await pool.query(
        'select count(distinct reference)::int as kept from jurist.file_parts where run = $1',
        [id],
      )
      expect(rows).toEqual([{ kept: 'artifacts' in options ? 0 : 1 }])
    },
  )

  test('a workspace that is too large is left out, and the trial says so', async () => {
    const { queue, directory, lease, id } = await leasedWith({ maxArtifactBytes: 100 }, crypto.randomUUID().repeat(100))
    await using _queue = queue
    expect(await queue.store(lease, item, directory)).toBe('stored')
    const { items } = await queue.stored(id, null)
    expect(items[0]).toMatchObject({
      workspacePath: null,
      metadata: { artifactsDropped: [expect.stringContaining('100 bytes')] },
    })
  })

  test('ids that no text of PostgreSQL can hold are leased and stored', async () => {
    await using queue = postgresQueue(address)
    const run = aRun(0)
    const ids = ['a\u0000b', '\ud800', 'x'.repeat(3_000), "'; drop table jurist.runs; --"]
    await queue.plan(
      run,
      ids.map((itemId) => ({ itemId, repetition: 1 })),
    )
    const leased = await queue.lease({ worker: 'w', runs: [run.manifest.id], max: 10 })
    expect(leased.map(({ itemId }) => itemId)).toEqual(ids)
    for (const { lease, itemId } of leased) expect(await queue.store(lease, anItem({ itemId }), null)).toBe('stored')
    expect((await queue.stored(run.manifest.id, null)).items.map(({ itemId }) => itemId)).toEqual(ids)
  })

  test('one connection is enough', async () => {
    const one = new pg.Pool({ connectionString: address, max: 1 })
    await using queue = postgresQueue(one)
    const run = aRun(2)
    const { id } = run.manifest
    await Promise.all([queue.plan(run, run.trials), queue.plan(run, run.trials)])
    const leased = await queue.lease({ worker: 'w', runs: [id], max: 2 })
    const stored = leased.map(({ lease, itemId }) => queue.store(lease, anItem({ itemId }), null))
    expect(await Promise.all(stored)).toEqual(['stored', 'stored'])
    expect(await queue.progress(id)).toBeUndefined()
    await queue[Symbol.asyncDispose]()
    await one.end()
  })

  test('a process that is stopped within a transaction holds no one up', async () => {
    const run = aRun(2)
    const { id } = run.manifest
    const { promise: continued, resolve: goOn } = withResolvers()
    let stopped = false
    const stopping: PostgresPool = {
      query: (text, values) => pool.query(text, values),
      async connect() {
        const client = await pool.connect()
        client.on('error', () => undefined)
        return {
          async query(text, values) {
            if (text === 'commit' && !stopped) {
              stopped = true
              await continued
            }
            return await client.query(text, values)
          },
          release: (error) => client.release(error),
        }
      },
    }
    await using queue = postgresQueue(address)
    await using stoppedQueue = postgresQueue(stopping)
    await queue.plan(run, run.trials)
    const late = stoppedQueue.lease({ worker: 'stopped', runs: [id], max: 1 })
    await expect.poll(() => stopped).toBe(true)
    expect(await queue.lease({ worker: 'other', runs: [id], max: 1 })).toMatchObject([{ itemId: 'item-0', losses: [] }])
    goOn()
    expect(await late).toMatchObject([{ itemId: 'item-1', losses: [] }])
  })

  test('a result of another trial is refused', async () => {
    const { queue, lease } = await leasedWith({}, '')
    await using _queue = queue
    await expect(queue.store(lease, anItem({ itemId: 'another' }), null)).rejects.toThrow('is for the trial')
  })

  test('a run whose record is damaged keeps workers from no other run', async () => {
    const { queue, lease, id } = await leasedWith({}, '')
    await using _queue = queue
    await pool.query(`update jurist.runs set head = '{}' where id = $1`, [id])
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
    expect(await queue.store(lease, item, null)).toBe('stored')
    expect((await warned).message).toContain(`Run ${id} cannot end`)
    const other = aRun(1)
    await queue.plan(other, other.trials)
    expect(await queue.lease({ worker: 'w', runs: [other.manifest.id], max: 1 })).toHaveLength(1)
    await pool.query('delete from jurist.runs where id = $1', [id])
  })

  test('connections that break are opened again', async () => {
    // Other test files have databases of their own on the same server.
    const ours = `datname = current_database() and application_name = 'jurist'`
    const breaking = `select pg_terminate_backend(pid) from pg_stat_activity where ${ours}`
    const { queue, lease, id } = await leasedWith({}, '')
    await using _queue = queue
    await pool.query(breaking)
    expect(await queue.renew([lease])).toEqual([lease])
    await pool.query(breaking)
    expect(await queue.store(lease, item, null)).toBe('stored')
    expect(await queue.progress(id)).toBeUndefined()
  })
})

describe.skipIf(!hasPostgres)('a separate server (needs PostgreSQL)', () => {
  test('may crash under leases: results are stored when it is back, and workers get time to come back', async () => {
    const server = await scratchServer(await newDirectory())
    await server.start()
    const pool = new pg.Pool({ connectionString: server.address })
    pool.on('error', () => undefined)
    try {
      // So long that nothing here depends on how fast the machine is.
      await using queue = postgresQueue(server.address, { heartbeatMs: 600_000 })
      const run = aRun(3)
      const { id } = run.manifest
      await queue.plan(run, run.trials)
      const [first, second] = await queue.lease({ worker: 'w', runs: [id], max: 2 })
      await server.crash()
      const storing = queue.store(first?.lease ?? '', anItem({ itemId: 'item-0' }), null)
      const taking = queue.lease({ worker: 'w', runs: [id], max: 1 })
      await server.start()
      expect(await storing).toBe('stored')
      expect(await taking).toMatchObject([{ itemId: 'item-2' }])
      // Silent for a minute after its lease ended: the server was away.
      await makeOlder(pool, { run: id }, 660_000)
      expect(await queue.lease({ worker: 'other', runs: [id], max: 1 })).toEqual([])
      expect(await queue.renew([second?.lease ?? ''])).toEqual([second?.lease])
      await makeOlder(pool, { run: id }, 3_600_000)
      expect(await queue.lease({ worker: 'other', runs: [id], max: 1 })).toMatchObject([{ itemId: 'item-1' }])
    } finally {
      await pool.end().catch(() => undefined)
      await server.crash()
    }
  })
})

describe.skipIf(noPostgres !== undefined)('tables of a store without a queue (needs PostgreSQL)', () => {
  test('are brought up to date by jurist store migrate', async () => {
    const address = await newDatabase()
    const run = aRun(1)
    {
      await using store = postgresStore(address)
      await using queue = postgresQueue(address)
      await queue.plan(run, [])
      await queue.progress(run.manifest.id)
      expect((await store.load(run.manifest.id))?.status).toBe('completed')
    }
    const client = new pg.Client({ connectionString: address })
    await client.connect()
    const tables = ['buckets', 'workers', 'trials', 'runs'].map((name) => `drop table jurist.queue_${name}`)
    await client.query(
      [
        ...tables,
        'alter table jurist.runs drop column queued',
        'alter table jurist.trials drop column lease',
        'delete from jurist.steps where step = 2',
      ].join(';'),
    )
    await client.end()
    await using store = postgresStore(address)
    await expect(store.load(run.manifest.id)).rejects.toThrow('jurist store migrate')
    expect(await store.migrate()).toEqual({ from: 1, to: 2 })
    expect((await store.load(run.manifest.id))?.status).toBe('completed')
    await using queue = postgresQueue(address)
    expect(await queue.runs()).toEqual([])
  })
})
