import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repository } from './repository.js'

const words = ['bisect', '--good', 'good', '--bad', 'bad', '--item', 'falls', '--yes', '--json', '--concurrency', '1']

/** Every trial that begins leaves a mark. */
const marked = `import { appendFileSync } from 'node:fs'
import { completed, defineConfig, fileExists } from 'jurist'
import { rate } from './rate.mjs'
const agent = async ({ workspace }) => {
  appendFileSync('MARKS', 'x')
  if (rate === 1) await workspace.write('note.txt', 'note')
  return completed({ output: 'done', costUsd: 0.01 })
}
export default defineConfig({
  experiments: { demo: { dataset: [{ id: 'falls', task: 'Do it' }], agent, jury: fileExists('note.txt') } },
})
`

/** What a search found, without what it spent. */
function found(stdout: string) {
  const { status, noLoss, commits } = JSON.parse(stdout)
  const trials = commits.map(({ subject, posterior, items }: Record<string, unknown>) => ({
    subject,
    posterior,
    items,
  }))
  return { status, noLoss, trials }
}

/** How many kills; more of them are a question of patience. */
const kills = Number(process.env['JURIST_KILLS'] ?? 3)

test('kill -9 at random moments: the same trials and posterior, none lost or counted twice', async () => {
  const { made } = repository([1, 1, 1, 0, 0])
  using _made = made
  const search = async (results: string) => {
    const marks = join(made.directory, `${results}.marks`)
    made.write({ 'jurist.config.ts': marked.replace('MARKS', marks) })
    const { child, ended, said } = made.start(...words, '--results', results)
    await said('suspects')
    return { child, ended, began: () => (existsSync(marks) ? readFileSync(marks, 'utf8').length : 0) }
  }
  const whole = await search('whole')
  const start = performance.now()
  const expected = await whole.ended
  const wholeMs = performance.now() - start
  expect([expected.code, JSON.parse(expected.stdout).status]).toEqual([0, 'found'])
  for (let killed = 0, searches = 0; killed < kills; searches += 1) {
    for (let own = 0; ; own += 1) {
      const { child, ended, began } = await search(`killed-${searches}`)
      // Later each time, so that a machine that became slower ends, too.
      const kill = setTimeout(() => child.kill('SIGKILL'), Math.random() * wholeMs * (own + 1))
      const { code, stdout } = await ended
      clearTimeout(kill)
      if (code === null) continue
      expect(found(stdout)).toEqual(found(expected.stdout))
      // A kill costs at most the trial that was running.
      expect(began() - whole.began()).toBeLessThanOrEqual(own)
      killed += own
      break
    }
  }
})
