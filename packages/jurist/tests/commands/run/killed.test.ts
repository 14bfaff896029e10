import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'

/** Every third item fails; each call of the agent leaves a line; the last item ends only where a file `go` is. */
const config = `import { completed, defineConfig } from 'jurist'
import { appendFileSync, existsSync } from 'node:fs'
const items = ['a', 'b', 'c', 'd', 'e', 'f']
export default defineConfig({
  experiments: {
    demo: {
      dataset: items.map((id) => ({ id, task: 'Do ' + id })),
      agent: async ({ metadata }) => {
        appendFileSync('calls', metadata.itemId + '\\n')
        while (metadata.itemId === 'f' && !existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 20))
        return completed({ output: metadata.itemId, costUsd: 0.01 })
      },
      jury: ({ metadata }) => items.indexOf(metadata.itemId) % 3 !== 2,
      repetitions: 2,
      concurrency: 3,
    },
  },
})
`

/** What a run printed, without what differs between any two runs. */
function table(stdout: string): string {
  return stdout
    .replaceAll(/postgres:\/\/\S+/g, 'DATABASE')
    .replaceAll(/\d{8}T\d{9}Z-\w{6}/g, 'RUN')
    .replaceAll(/ *\b((\d+m )?\d+(\.\d)? ?m?s\b|TIME\b)/g, ' TIME')
}

async function undisturbed(): Promise<string> {
  using made = project({ 'jurist.config.ts': config, go: '' })
  return table((await made.jurist('run')).stdout)
}

/** Starts a run and kills it with a signal that nothing can catch, once so many trials are done. */
async function killedAfter(made: Project, trials: number): Promise<void> {
  const { child, ended, said } = made.start('run')
  await said(`[${trials}/12]`)
  child.kill('SIGKILL')
  expect((await ended).code).toBe(null)
}

describe.concurrent('kill -9 in the middle of a run', () => {
  let expected = ''
  beforeAll(async () => {
    expected = await undisturbed()
  })

  test.each([1, 5, 10])(
    'after %i trials: --resume gives every trial once, and the table of any run',
    async (trials) => {
      using made = project({ 'jurist.config.ts': config })
      await killedAfter(made, trials)
      const calls = () => readFileSync(join(made.directory, 'calls'), 'utf8').split('\n').length - 1
      const [id = ''] = await made.results.runs('demo')
      const stored = async () => (await made.results.trials('demo', id)).length
      const [called, kept] = [calls(), await stored()]
      expect(kept).toBeGreaterThanOrEqual(trials)
      made.write({ go: '' })
      const { code, stdout } = await made.jurist('run', '--resume', '-o', 'run.json')
      expect(code).toBe(0)
      const [run, ...others] = JSON.parse(readFileSync(join(made.directory, 'run.json'), 'utf8'))
      expect(others).toEqual([])
      const done = run.items.map((item: { itemId: string; repetition: number }) => `${item.itemId}#${item.repetition}`)
      expect(done.sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].flatMap((id) => [`${id}#1`, `${id}#2`]))
      expect(run.id).toBe(id)
      expect(await stored()).toBe(12)
      // What was stored is not run again.
      expect(calls()).toBe(called + 12 - kept)
      expect(table(stdout)).toBe(expected)
    },
  )
})
