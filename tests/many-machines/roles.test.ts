import pg from 'pg'
import { expect, test } from 'vitest'
import { newDatabase, noPostgres } from '../postgres/server.js'
import { copyOfExample, textOf } from './example.js'

test.skipIf(noPostgres)(`roles.sql gives what is needed, and no more [${noPostgres ?? 'PostgreSQL'}]`, async () => {
  using copy = copyOfExample()
  const owner = await newDatabase()
  await copy.run(['jurist', 'run', '--distributed', '--detach'], { JURIST_RESULTS: owner })
  const client = new pg.Client({ connectionString: owner })
  await client.connect()
  await client.query(textOf('roles.sql'))
  await client.query(textOf('roles.sql'))
  await client.query(
    "alter role evals_worker password 'of-the-worker'; alter role evals_reader password 'of-the-reader'",
  )
  await client.end()
  const as = (user: string, password: string) => {
    const address = Object.assign(new URL(owner), { username: user, password })
    return { JURIST_RESULTS: address.href }
  }
  const [worker, reader] = [as('evals_worker', 'of-the-worker'), as('evals_reader', 'of-the-reader')]
  await copy.run(['jurist', 'run', '--distributed', '--detach'], worker)
  expect(await copy.run(['jurist', 'worker', '--exit-when-idle'], worker)).toContain('20 trials stored')
  expect(await copy.run(['jurist', 'show'], reader)).toContain('10 of 10 decided')
  const refused = await copy.start(['jurist', 'run'], reader).ended
  expect([refused.code, refused.text]).toEqual([3, expect.stringContaining('permission denied')])
})
