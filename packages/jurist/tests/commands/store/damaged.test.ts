import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'
import { onPostgres } from '../../project-results.js'

const config = `import { completed, defineConfig } from 'jurist'
import { appendFileSync } from 'node:fs'
const ids = ['a', 'b', 'c', 'd', 'e', 'f']
export default defineConfig({
  experiments: {
    demo: {
      dataset: ids.map((id) => ({ id, task: id })),
      agent: async ({ prompt }) => (appendFileSync('calls', prompt), completed(prompt)),
      jury: () => true,
      concurrency: 1,
    },
  },
})
`
const runsOf = (made: Project) =>
  readdirSync(join(made.directory, 'results/demo'))
    .filter((name) => /^\d{8}T/.test(name))
    .sort()
const calls = (made: Project) => readFileSync(join(made.directory, 'calls'), 'utf8')
const fileOf = (made: Project, id: string, name: string) => join(made.directory, 'results/demo', id, name)

/** Damages the third line of the trials of the latest run. */
function damage(made: Project, line: string): void {
  const path = fileOf(made, runsOf(made).at(-1) ?? '', 'items.jsonl')
  writeFileSync(path, readFileSync(path, 'utf8').split('\n').with(2, line).join('\n'))
}

describe.skipIf(onPostgres).concurrent('a damaged store', () => {
  test('one line in the middle: the others are shown, and its trial runs again', async () => {
    using made = project({ 'jurist.config.mjs': config })
    await made.jurist('run')
    for (const line of ['{"itemId":"c","rep', '\0\0\0\0', '']) {
      damage(made, line)
      const shown = await made.jurist('show', 'latest')
      expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('5 of 5 decided')])
      expect(shown.stderr).toContain('line 3 is damaged')
      expect((await made.jurist('list')).stdout).toMatch(/5\/5/)
    }
    const before = calls(made)
    const { code, stdout, stderr } = await made.jurist('run', '--resume')
    expect([code, stdout]).toEqual([0, expect.stringContaining('6 of 6 decided')])
    expect(stderr).toContain('line 3 is damaged')
    expect([calls(made), runsOf(made).length]).toEqual([`${before}c`, 1])
    expect((await made.jurist('show', 'latest')).stdout).toContain('6 of 6 decided')
  })

  test('one run that cannot be read: the rest is listed, shown and goes on', async () => {
    using made = project({ 'jurist.config.mjs': config })
    for (let count = 0; count < 2; count++) await made.jurist('run', '--first', '2')
    const [kept = '', broken = ''] = runsOf(made)
    const good = readFileSync(fileOf(made, broken, 'run.json'), 'utf8')
    for (const text of ['null', '[]', good.replace('"schemaVersion": 1', '"schemaVersion": 2'), null]) {
      if (text === null) {
        writeFileSync(fileOf(made, broken, 'run.json'), good)
        rmSync(fileOf(made, broken, 'items.jsonl'))
        mkdirSync(fileOf(made, broken, 'items.jsonl'))
      } else writeFileSync(fileOf(made, broken, 'run.json'), text)
      const listed = await made.jurist('list')
      expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining(kept)])
      expect(listed.stdout).not.toContain(broken)
      expect(listed.stderr).toContain(`Run ${broken} was left out`)
      const shown = await made.jurist('show', 'latest')
      expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining(kept)])
      const resumed = await made.jurist('run', '--resume')
      expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringContaining('nothing is unfinished')])
      expect((await made.jurist('show', broken)).code).toBe(2)
      expect((await made.jurist('run', '--resume', broken)).code).toBe(2)
    }
    expect([calls(made), runsOf(made)]).toEqual(['abab', [kept, broken]])
  })
})
