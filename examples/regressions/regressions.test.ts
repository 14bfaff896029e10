import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { root } from '../../tests/structure/source.js'

const run = promisify(execFile)
const command = join(root, 'packages/jurist/dist/command/main.js')
const directory = mkdtempSync(join(tmpdir(), 'jurist-regressions-'))
cpSync(join(root, 'examples/regressions'), directory, { recursive: true })

afterAll(() => rmSync(directory, { recursive: true, force: true }))

async function jurist(...words: readonly string[]) {
  const { stdout } = await run(process.execPath, [command, '--json', ...words], { cwd: directory }).catch(
    (thrown: { readonly stdout: string }) => thrown,
  )
  return stdout === '' ? null : JSON.parse(stdout)
}

test('a failing session becomes the smallest item that fails alike', async () => {
  await jurist('import', 'session', 'session.jsonl')
  const { result } = await jurist('rejudge', 'session', '--jury', 'tested')
  const words = ['--into', 'dataset', '--jury', 'tested', '--before', 'shop', '--minimise'] as const
  const { item, minimised } = await jurist('promote', result.id, 'session', ...words)
  expect([minimised.from.files, minimised.to.files]).toEqual([8, 2])
  const files = readdirSync(join(directory, 'dataset/regressions', item), { recursive: true, encoding: 'utf8' }).sort()
  expect(files).toEqual([
    'before',
    'before/package.json',
    'before/src',
    'before/src/totals.js',
    'item.json',
    'task.md',
    'wrong',
    'wrong/session-1.txt',
  ])
  expect(JSON.parse(readFileSync(join(directory, 'dataset/dataset.json'), 'utf8')).items).toHaveLength(1)
  expect(await jurist('validate')).toMatchObject({ problems: [] })
})
