import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'
import { onPostgres } from '../../project-results.js'

const config = `import { completed, defineConfig } from 'jurist'
export default defineConfig({
  experiments: {
    demo: {
      dataset: [
        { id: 'fixed', task: 'x', before: 'before', reference: 'reference' },
        { id: 'empty', task: 'x' },
        { id: 'lost', task: 'x', before: 'gone' },
      ],
      agent: async ({ workspace, metadata }) => {
        if (metadata.itemId === 'fixed') {
          await workspace.write('src/a.js', 'one\\nTWO\\nthree\\n')
          await workspace.write('evil.txt', '\\u001b[2J::error::x\\r\\n\\u202eend')
          await workspace.write('logo.bin', new Uint8Array([0, 255, 254, 1]))
          await workspace.remove('old.txt')
        } else await workspace.write('made.txt', Array.from({ length: 1000 }, (_, at) => 'line ' + at + '\\n').join(''))
        return completed()
      },
      jury: () => true,
    },
  },
})
`

describe.concurrent('jurist show --diff', () => {
  let made: Project
  let printed = ''
  beforeAll(async () => {
    made = project({
      'jurist.config.ts': config,
      'before/src/a.js': 'one\ntwo\nthree\n',
      'before/old.txt': 'gone soon',
      'before/same.txt': 'same',
      'reference/src/a.js': 'one\nTWO\nthree\n',
      'gone/x': '',
    })
    expect((await made.jurist('run', '--preserve', 'all')).code).toBe(0)
    printed = (await made.jurist('show', 'latest', 'fixed', '--diff')).stdout
  })
  afterAll(() => made[Symbol.dispose]())

  test('shows changed text as a unified diff, other files by their sizes', () => {
    expect(printed).toContain(`  Workspace since it began: 4 files differ
    added evil.txt  `)
    expect(printed).toContain(`    modified src/a.js  14 bytes to 14 bytes
      @@ -1,3 +1,3 @@
       one
      -two
      +TWO
       three
`)
    expect(printed).toContain(
      '    added logo.bin  4 bytes\n    removed old.txt  9 bytes\n      @@ -1 +0,0 @@\n      -gone soon\n',
    )
    expect(printed).not.toContain('same.txt')
  })

  test('text of the agent cannot steer the terminal', () => {
    expect(printed).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    expect(printed).not.toMatch(/^::error/m)
    expect(printed).toContain('      +::error::x^M\n      +end\n')
  })

  test('against the reference', async () => {
    const { stdout } = await made.jurist('show', 'latest', 'fixed', '--diff', 'reference')
    expect(stdout).toContain('Workspace against the reference: 3 files differ')
    expect(stdout).not.toContain('src/a.js  ')
    const none = await made.jurist('show', 'latest', 'empty', '--diff', 'reference')
    expect(none.stdout).toContain('The item has no reference.')
  })

  test('what began with nothing is all new; long files are cut, and said so', async () => {
    const { stdout } = await made.jurist('show', 'latest', 'empty', '--diff')
    expect(stdout).toContain('added made.txt')
    expect(stdout).toContain('+line 298\n      and 701 lines more')
  })

  test.skipIf(onPostgres)('--json gives the files, also of a run by its path', async () => {
    const id = (await made.jurist('list', '--json')).stdout.match(/\d{8}T\d{9}Z-\w{6}/)?.[0] ?? ''
    const { stdout } = await made.jurist('show', `./results/demo/${id}`, 'fixed', '--diff', '--json')
    const { files, ...rest } = JSON.parse(stdout)
    expect(rest).toEqual({ itemId: 'fixed', repetition: 1, base: 'before', kind: 'files' })
    expect(files.map(({ path }: { path: string }) => path)).toEqual(['evil.txt', 'logo.bin', 'old.txt', 'src/a.js'])
    expect(files[1]).toMatchObject({ before: null, after: { sizeBytes: 4 }, lines: null })
  })

  test('says what cannot be compared', async () => {
    rmSync(join(made.directory, 'gone'), { recursive: true })
    const lost = await made.jurist('show', 'latest', 'lost', '--diff')
    expect(lost.stdout).toMatch(/What the item began with is no longer at \S*\/gone\./)
    const wrong = await made.jurist('show', 'latest', 'fixed', '--diff', 'after')
    expect(wrong).toMatchObject({ code: 2 })
    expect(wrong.stderr).toContain('--diff must be one of before, reference (got "after").')
    const whole = await made.jurist('show', 'latest', '--diff')
    expect(whole).toMatchObject({ code: 2 })
    expect(whole.stderr).toContain('--diff needs an item')
  })
})
