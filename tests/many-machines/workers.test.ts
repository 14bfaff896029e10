import { expect, test } from 'vitest'
import { newDatabase, noPostgres } from '../postgres/server.js'
import { asAService, composed, inAnArray, inPods } from './deployments.js'
import { copyOfExample } from './example.js'

const reason = noPostgres ?? 'PostgreSQL'
const pairs = [
  ['a Deployment and of Compose', inPods, composed],
  ['an array of Slurm and of systemd', inAnArray, asAService],
] as const

/**
 * Two workers, started by the files of two deployments: one is sent SIGTERM while it runs trials, gives them back and ends by
 * itself; the other one ends the run, in which each trial is stored once.
 */
test.skipIf(noPostgres).each(pairs)(`workers of %s share a run [${reason}]`, async (_, leaves, stays) => {
  using copy = copyOfExample()
  const agents = copy.hold()
  const database = await newDatabase()
  const [first, second] = [leaves(copy, database), stays(copy, database)]
  const json = async (...words: readonly string[]) =>
    JSON.parse(await copy.run(['jurist', ...words, '--json'], { JURIST_RESULTS: database }))
  const submitted = copy.start(second.submit, second.env)
  await expect.poll(async () => (await json('worker', 'list')).runs.length).toBe(1)
  const leaving = copy.start(first.worker, first.env)
  await leaving.said(' starts', 4)
  const staying = copy.start(second.worker, second.env)
  await staying.said(' starts', 4)
  leaving.child.kill('SIGTERM')
  const { code, text } = await leaving.ended
  expect([code, text]).toEqual([0, expect.stringContaining('0 trials stored, 4 given back')])
  agents.release()
  await staying.said('✓ pass', 10)
  expect(await submitted.ended).toMatchObject({ code: 0 })
  const { status, items }: { status: string; items: readonly Trial[] } = await json('show', 'latest')
  expect(status).toBe('completed')
  expect(new Set(items.map(({ itemId, repetition }) => `${itemId} #${repetition}`)).size).toBe(10)
  expect(items.map(({ passed }) => passed)).toEqual(Array(10).fill(true))
  staying.child.kill('SIGTERM')
  expect(await staying.ended).toMatchObject({ code: 0 })
})

interface Trial {
  readonly itemId: string
  readonly repetition: number
  readonly passed: boolean | null
}

const planners = [
  ['a Deployment', inPods],
  ['an array of Slurm', inAnArray],
] as const

test.skipIf(noPostgres).each(planners)(
  `what plans a run for %s ends when it is planned [${reason}]`,
  async (_, deployment) => {
    using copy = copyOfExample()
    const { submit, env } = deployment(copy, await newDatabase())
    expect(await copy.run(submit, env)).toContain('10 trials are planned')
  },
)
