import { type AddressInfo, connect, createServer } from 'node:net'
import { postgresStore } from '@jurist/distributed/postgres'
import { anItem, aResult } from '@jurist/experiment/testing'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { newDatabase, noPostgres, password } from '../../../../tests/postgres/server.js'

/** What a store says when it is listed. */
async function said(address: string): Promise<string> {
  await using store = postgresStore(address)
  const failure: unknown = await store
    .list()
    [Symbol.asyncIterator]()
    .next()
    .catch((thrown: unknown) => thrown)
  expect(failure).toMatchObject({ code: 'store-failed' })
  const { message, details, stack, cause } = failure as Error & { readonly details: unknown }
  expect([message, JSON.stringify(details), stack, String(cause)].join()).not.toContain(password)
  return message
}

function changed(address: string, change: (url: URL) => void): string {
  const url = new URL(address)
  change(url)
  return url.href
}

async function statement(address: string, ...texts: readonly string[]): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  try {
    const rows: unknown[] = []
    for (const text of texts) rows.push(...(await client.query(text)).rows)
    return rows
  } finally {
    await client.end()
  }
}

/** The address of a database through a proxy that breaks some connections at their first statement. */
async function breaking(address: string, connections: number) {
  const { hostname, port } = new URL(address)
  let left = connections
  const proxy = createServer((socket) => {
    const server = connect(Number(port), hostname)
    let isOpen = false
    const end = () => {
      socket.destroy()
      server.destroy()
    }
    // The server is ready for a statement when its message ends with Z, a length of 5 and the state I.
    server.on('data', (part) => {
      isOpen ||= part.includes(Buffer.from([0x5a, 0, 0, 0, 5, 0x49]))
      socket.write(part)
    })
    socket.on('data', (part) => {
      if (isOpen && left > 0) {
        left -= 1
        end()
      } else server.write(part)
    })
    for (const one of [socket, server]) one.on('error', end).on('close', end)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  return {
    address: changed(address, (url) => {
      url.hostname = '127.0.0.1'
      url.port = String((proxy.address() as AddressInfo).port)
    }),
    left: () => left,
    [Symbol.dispose]: () => void proxy.close(),
  }
}

describe('an address', () => {
  test.each(['results', 'http://localhost/x', `postgres://jurist:${password}/@@:x`, ''])('%j is refused', (address) => {
    expect(() => postgresStore(address)).toThrow('looks like postgres://user@host:5432/name')
    expect(() => postgresStore(address)).not.toThrow(password)
  })

  test('a password of a few letters leaves messages as they are', async () => {
    const message = await said('postgres://jurist:a@127.0.0.1:1/results?password=ab')
    expect(message).toContain('The database cannot be reached')
    expect(message).toContain('(postgres://jurist@127.0.0.1:1/results)')
  })

  test('of a server that does not run is named, without its password', async () => {
    const message = await said(`postgres://jurist:${password}@127.0.0.1:1/results?password=${password}`)
    expect(message).toContain('cannot be reached')
    expect(message).toContain('postgres://jurist@127.0.0.1:1/results')
  })
})

describe.skipIf(noPostgres !== undefined)('a database (needs PostgreSQL)', () => {
  test('that does not exist', async () => {
    const address = changed(await newDatabase(), (url) => {
      url.pathname = '/nowhere'
    })
    expect(await said(address)).toMatch(/no such database.*"nowhere".*createdb/)
  })

  test('whose password is wrong', async () => {
    const address = changed(await newDatabase(), (url) => {
      url.password = `not-${password}`
    })
    expect(await said(address)).toMatch(/refused the user.*Correct/)
  })

  test('of a newer version', async () => {
    const address = await newDatabase()
    await postgresStore(address).save(aResult())
    await statement(address, 'insert into jurist.steps (step) values (999)')
    expect(await said(address)).toMatch(/schema version 999.*Install a newer Jurist/)
  })

  test('of a server that is too old', async () => {
    // The whole of a server but for the version that it says.
    const pool = new pg.Pool({ connectionString: await newDatabase() })
    const older = {
      connect: () => pool.connect(),
      async query(text: string, values?: unknown[]) {
        const { rows } = await pool.query(text, values)
        return { rows: rows.map((row) => ('server' in row ? { ...row, server: 120_022 } : row)) }
      },
    }
    try {
      await using store = postgresStore(older)
      await expect(store.save(aResult())).rejects.toMatchObject({
        code: 'store-failed',
        message: expect.stringMatching(/is PostgreSQL 12, and 13 or newer is needed\. Use a newer server\./),
      })
    } finally {
      await pool.end()
    }
  })

  test('with another encoding', async () => {
    expect(await said(await newDatabase("template template0 encoding 'LATIN1'"))).toMatch(/LATIN1.*UTF8/)
  })

  test('whose user may not make tables', async () => {
    const address = await newDatabase()
    const role = `reader_${new URL(address).pathname.slice(-8)}`
    await statement(address, `create role ${role} login password '${password}'`)
    expect(
      await said(
        changed(address, (url) => {
          url.username = role
        }),
      ),
    ).toMatch(/lacks a permission.*Grant it/)
  })

  test('without a connection that is free', async () => {
    const address = await newDatabase('connection limit 0')
    const role = `limited_${new URL(address).pathname.slice(-8)}`
    await statement(
      changed(address, (url) => {
        url.pathname = '/postgres'
      }),
      `create role ${role} login password '${password}'`,
    )
    expect(
      await said(
        changed(address, (url) => {
          url.username = role
        }),
      ),
    ).toMatch(/no connection free.*-j/)
  })
})

describe.skipIf(noPostgres !== undefined)('a store (needs PostgreSQL)', () => {
  test('keeps NUL, lone surrogates, the order of keys and ids of any length', async () => {
    await using store = postgresStore(await newDatabase())
    const odd = { 'z\u0000': 'NUL \u0000, half \ud800', a: 1, 10: 'ten' }
    const items = [anItem({ itemId: `odd \u0000 \udfff ${'x'.repeat(5_000)}`, metadata: odd })]
    const run = aResult({ items })
    await store.save(run)
    expect(JSON.stringify((await store.load(run.id))?.items)).toBe(JSON.stringify(items))
    const overview = await store.overview(run.id)
    expect(await overview?.readItems(overview.trials)).toEqual(items)
  })

  test('stores nothing for a writer that was taken over', async () => {
    const address = await newDatabase()
    await using store = postgresStore(address)
    const { items, ...manifest } = aResult()
    const writer = await store.open(manifest)
    await statement(address, "update jurist.runs set held_until = now() - interval '1 second'")
    const { writer: next } = await store.resume(manifest.id)
    await expect(writer.append(anItem({ itemId: 'late' }))).rejects.toThrow('taken over')
    await next.append(anItem({ itemId: 'mine' }))
    await writer.release()
    await expect(store.resume(manifest.id)).rejects.toMatchObject({ code: 'run-locked' })
    await next.finish({ status: 'completed', stopReason: null, durationMs: 1 })
    expect((await store.load(manifest.id))?.items.map(({ itemId }) => itemId)).toEqual(['mine'])
  })

  test('waits for a connection that broke', async () => {
    const address = await newDatabase()
    await using store = postgresStore(address)
    const { items, ...manifest } = aResult()
    const writer = await store.open(manifest)
    await writer.append(anItem({ itemId: 'before' }))
    const others =
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
    const closed = statement(address, others)
    const appended = ['during', 'and', 'after'].map((itemId) => writer.append(anItem({ itemId })))
    await Promise.all([closed, ...appended])
    const { trials } = await writer.finish({ status: 'completed', stopReason: null, durationMs: 1 })
    expect(trials.map(({ itemId }) => itemId)).toEqual(['before', 'during', 'and', 'after'])
  })

  test('begins although its first connections break, and says so when they go on breaking', async () => {
    using twice = await breaking(await newDatabase(), 2)
    await using store = postgresStore(twice.address)
    const run = aResult()
    await store.save(run)
    expect([(await store.load(run.id))?.id, twice.left()]).toEqual([run.id, 0])
    using always = await breaking(await newDatabase(), 100)
    expect(await said(always.address)).toMatch(/The database failed: .*Try again/)
    expect(always.left()).toBe(97)
  })

  test('takes a pool, and leaves it open', async () => {
    const pool = new pg.Pool({ connectionString: await newDatabase() })
    try {
      const run = aResult()
      {
        await using store = postgresStore(pool, { schema: 'other_place' })
        await store.save(run)
      }
      const { rows } = await pool.query('select id from other_place.runs')
      expect(rows).toEqual([{ id: run.id }])
    } finally {
      await pool.end()
    }
  })

  test('is made by one of several that begin together', async () => {
    const address = await newDatabase()
    const runs = await Promise.all(
      Array.from({ length: 5 }, async () => {
        await using store = postgresStore(address)
        const run = aResult()
        await store.save(run)
        return run.id
      }),
    )
    expect((await statement(address, 'select id from jurist.runs')).length).toBe(runs.length)
  })
})
