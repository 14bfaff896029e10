import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newDatabase, noPostgres } from '../postgres/server.js'
import { databaseVariables, wordsOf } from './deployments.js'
import { copyOfExample } from './example.js'
import { containerOf, manifestOf } from './manifests.js'

test.skipIf(noPostgres)(`the probe finds a worker that hangs [${noPostgres ?? 'PostgreSQL'}]`, async () => {
  using copy = copyOfExample()
  const container = containerOf(manifestOf('Deployment', 'jurist-workers'))
  const [shell = '', flag = '', script = ''] = container.livenessProbe?.exec?.command ?? []
  const alive = join(copy.directory, 'alive')
  const probe = () => copy.start([shell, flag, script.replace('/tmp/alive', alive)]).ended
  expect(await probe()).toMatchObject({ code: 1 })
  const worker = copy.start(wordsOf(container, copy), databaseVariables(await newDatabase()))
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

test('the shards of the Indexed Job are one run, also when a pod is evicted', async () => {
  using copy = copyOfExample()
  const job = manifestOf('Job', 'jurist-shards')
  const container = containerOf(job)
  const own = Object.fromEntries(container.env?.map(({ name, value }) => [name, value]) ?? [])
  expect(own).toEqual({ JURIST_SHARDS: String(job.spec?.completions) })
  const pod = (index: number) => copy.start(wordsOf(container, copy), { ...own, JOB_COMPLETION_INDEX: String(index) })
  const agents = copy.hold()
  const [evicted = pod(0), ...others] = Array.from({ length: job.spec?.completions ?? 0 }, (_, index) => pod(index))
  await evicted.said('sums run')
  evicted.child.kill('SIGTERM')
  expect(await evicted.ended).toMatchObject({ code: 130 })
  agents.release()
  for (const shard of others) expect(await shard.ended).toMatchObject({ code: 0 })
  const merge = wordsOf(containerOf(manifestOf('Job', 'jurist-merge')), copy)
  expect(await copy.start(merge).ended).toMatchObject({ code: 1, text: expect.stringContaining('shard 1') })
  expect(await pod(0).ended).toMatchObject({ code: 0, text: expect.stringContaining('resum') })
  expect(await copy.run(merge)).toContain('10 of 10 decided')
})
