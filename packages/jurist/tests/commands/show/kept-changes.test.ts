import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileStore } from '@jurist/experiment/store'
import { viewer } from '@jurist/viewer'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'
import { onPostgres } from '../../project-results.js'

const config = `import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandSucceeds, completed, copyWorkspaces, defineConfig } from 'jurist'
export default defineConfig({
  experiments: {
    large: {
      dataset: 'dataset',
      provision: copyWorkspaces(),
      agent: async ({ workspace }) => {
        const at = (path) => join(workspace.root, path)
        writeFileSync(at('src/f1.txt'), 'changed')
        writeFileSync(at('src/f2.txt'), '2 as long')
        writeFileSync(at('src/f2.txt'), 'file 2')
        chmodSync(at('src/f3.txt'), 0o755)
        mkdirSync(at('new/hollow'), { recursive: true })
        writeFileSync(at('new/n.txt'), 'new')
        rmSync(at('old'), { recursive: true })
        rmSync(at('src/f4.txt'))
        rmSync(at('swap'), { recursive: true })
        writeFileSync(at('swap'), 'was a directory')
        rmSync(at('file'))
        mkdirSync(at('file'))
        writeFileSync(at('file/inside.txt'), 'was a file')
        renameSync(at('alike-1'), at('alike-3'))
        renameSync(at('alike-2'), at('alike-1'))
        rmSync(at('latest'))
        symlinkSync('src/f5.txt', at('latest'))
        symlinkSync('/etc', at('out'))
        return completed()
      },
      jury: commandSucceeds('grep -q changed src/f1.txt && ! test -e old && test -f swap && test -x src/f3.txt && test -f src/f999.txt && test "$(cat alike-1/x)" = two && ! test -e alike-2'),
    },
  },
})
`

let made: Project
let kept = ''

const manifest = { schemaVersion: 1, name: 'large', version: '1.0.0', items: [{ id: 'one', path: 'items/one' }] }

function pathsBelow(directory: string, under = ''): readonly string[] {
  return readdirSync(join(directory, under)).flatMap((name) => {
    const path = join(under, name)
    return lstatSync(join(directory, path)).isDirectory() ? [`${path}/`, ...pathsBelow(directory, path)] : [path]
  })
}

beforeAll(async () => {
  made = project({
    'jurist.config.mjs': config,
    'dataset/dataset.json': JSON.stringify(manifest),
    'dataset/items/one/item.json': '{}',
    'dataset/items/one/task.md': 'Change some of a thousand files.',
    ...Object.fromEntries(
      Array.from({ length: 1_000 }, (_, at) => [`dataset/items/one/before/src/f${at}.txt`, `file ${at}`]),
    ),
    ...Object.fromEntries(
      ['old/deep/a.txt', 'old/b.txt', 'swap/c.txt', 'file'].map((path) => [`dataset/items/one/before/${path}`, path]),
    ),
    'dataset/items/one/before/alike-1/x': 'one',
    'dataset/items/one/before/alike-2/x': 'two',
  })
  symlinkSync('src/f0.txt', join(made.directory, 'dataset/items/one/before/latest'))
  const { code, stdout, stderr } = await made.jurist('run', '--quiet')
  expect([code, stdout + stderr]).toEqual([0, expect.any(String)])
  if (onPostgres) return
  const experiment = join(made.directory, 'results/large')
  const [run = ''] = readdirSync(experiment).filter((name) => name.startsWith('2'))
  kept = join(experiment, run, 'workspaces/one--1')
})
afterAll(() => made[Symbol.dispose]())

test.skipIf(onPostgres)('of a large workspace only what the agent changed is kept', () => {
  expect(pathsBelow(kept).toSorted()).toEqual(
    [
      ...['alike-1/', 'alike-1/x', 'alike-3/', 'alike-3/x', 'file/', 'file/inside.txt', 'latest'],
      ...['new/', 'new/hollow/', 'new/n.txt', 'src/', 'src/f1.txt', 'src/f3.txt', 'swap'],
    ].toSorted(),
  )
  expect(readlinkSync(join(kept, 'latest'))).toBe('src/f5.txt')
  expect(statSync(join(kept, 'src/f3.txt')).mode & 0o777).toBe(0o755)
})

const changed = [
  ...['alike-1/x', 'alike-2/x', 'alike-3/x', 'file', 'file/inside.txt', 'latest', 'new/n.txt', 'old/b.txt'],
  ...['old/deep/a.txt', 'src/f1.txt', 'src/f3.txt', 'src/f4.txt', 'swap', 'swap/c.txt'],
]

test('show --diff, the page and the export see the whole workspace', async () => {
  const { stdout } = await made.jurist('show', 'latest', 'one', '--diff', '--json')
  const paths = JSON.parse(stdout).files.map(({ path }: { readonly path: string }) => path)
  expect(paths).toEqual(changed)
  const exported = await made.jurist('export', 'latest', '--format', 'predictions')
  const { model_patch } = JSON.parse(exported.stdout)
  const named = [...model_patch.matchAll(/^diff --git a\/(\S+)/gm)].map(([, path]) => path)
  expect(named.toSorted()).toEqual(changed.toSorted())
})

test.skipIf(onPostgres)('the page lists what changed, and reads every file', async () => {
  const results = join(made.directory, 'results')
  const page = viewer(fileStore(results), { directory: results, sources: [join(made.directory, 'dataset')] })
  const run = kept.split('/').at(-3)
  const asked = async (path: string) =>
    (await page(new Request(`http://localhost/api/runs/${run}/items/one/1/${path}`))).json()
  const { files } = await asked('changes')
  // The page shows no links.
  expect(files.map(({ path }: { readonly path: string }) => path)).toEqual(
    changed.filter((path) => path !== 'latest' && path !== 'src/f3.txt'),
  )
  const whole = await asked('changes?against=nothing')
  expect(whole.files).toHaveLength(999 + 5)
  expect(await asked('file?path=src/f999.txt&against=nothing')).toMatchObject({ after: { text: 'file 999' } })
  expect(await asked('file?path=src/f1.txt')).toMatchObject({ before: { text: 'file 1' }, after: { text: 'changed' } })
})

test('it is judged again with all its files, and not from what the dataset has become', async () => {
  const again = await made.jurist('rejudge', 'latest')
  expect([again.code, again.stdout + again.stderr]).toEqual([0, expect.stringContaining('pass')])
  if (onPostgres) return
  const place = join(made.directory, 'dataset/items/one/before/src/f999.txt')
  const run = kept.split('/').at(-3) ?? ''
  for (const spoil of [() => writeFileSync(place, 'file 998'), () => chmodSync(place, 0o755), () => rmSync(place)]) {
    spoil()
    const { stdout, stderr } = await made.jurist('rejudge', run)
    expect(stdout + stderr).toMatch(/1 trial left out: before-changed \(of large workspaces only changes are kept/)
    const shown = await made.jurist('show', run, 'one', '--diff')
    expect(shown.stdout).toMatch(/only its\s+changes\s+are\s+kept/)
    writeFileSync(place, 'file 999')
    chmodSync(place, 0o644)
  }
  mkdirSync(join(made.directory, 'elsewhere'))
  const whole = await made.jurist('rejudge', run)
  expect([whole.code, whole.stdout + whole.stderr]).toEqual([0, expect.stringContaining('pass')])
})
