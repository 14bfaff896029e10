import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newDatabase, noPostgres } from '../postgres/server.js'
import { type Copy, copyOfExample } from './example.js'
import { type Container, containerOf, manifests } from './manifests.js'
import { shareARun } from './workers.js'

/** The words of a container, with the directory of a copy for its `/tmp`. */
function wordsOf({ args = [] }: Container, copy: Copy): readonly string[] {
  return args.map((word) => word.replace(/^\/tmp\//, `${copy.directory}/`))
}

/** The variables of the Secret; the scratch database is at another address. */
async function secret() {
  const { JURIST_RESULTS, PGPASSWORD, ...others } = manifests.results.stringData ?? {}
  expect([JURIST_RESULTS, PGPASSWORD, others]).toEqual([
    expect.stringMatching(/^postgres:\/\/[^:]+@[^:]+\//),
    expect.any(String),
    {},
  ])
  const address = new URL(await newDatabase())
  const { password } = address
  address.password = ''
  return { JURIST_RESULTS: address.href, PGPASSWORD: password }
}

test.skipIf(noPostgres)(`two workers of the Deployment share a run [${noPostgres ?? 'PostgreSQL'}]`, async () => {
  using copy = copyOfExample()
  const worker = wordsOf(containerOf(manifests.workers), copy)
  const submit = wordsOf(containerOf(manifests.submit), copy)
  await shareARun(copy, { worker, submit, env: await secret() })
})

test.skipIf(noPostgres)(`the probe finds a worker that hangs [${noPostgres ?? 'PostgreSQL'}]`, async () => {
  using copy = copyOfExample()
  const container = containerOf(manifests.workers)
  const [shell = '', flag = '', script = ''] = container.livenessProbe?.exec?.command ?? []
  const alive = join(copy.directory, 'alive')
  const probe = () => copy.start([shell, flag, script.replace('/tmp/alive', alive)]).ended
  expect(await probe()).toMatchObject({ code: 1 })
  const worker = copy.start(wordsOf(container, copy), await secret())
  await worker.said('waits for trials')
  expect(await probe()).toMatchObject({ code: 0 })
  worker.child.kill('SIGSTOP')
  const past = Date.now() / 1000 - 120
  utimesSync(alive, past, past)
  expect(await probe()).toMatchObject({ code: 1 })
  worker.child.kill('SIGCONT')
  await expect.poll(async () => (await probe()).code).toBe(0)
})

test('a file for the probe that cannot be written is refused', async () => {
  using copy = copyOfExample()
  const { code, text } = await copy.start(['jurist', 'worker', '--alive-file', 'no/such/directory/alive']).ended
  expect([code, text]).toEqual([2, expect.stringContaining('--alive-file no/such/directory/alive cannot be written')])
})
