import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { completed, copyWorkspaces, runExperiment } from '@jurist/experiment'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'

const item = JSON.stringify({ id: 'adder', developerTask: 'Mend it.' })
const manifest = JSON.stringify({
  schemaVersion: 1,
  name: 'sums',
  version: '1',
  items: [{ id: 'adder', path: 'items/adder' }],
})
const outside = mkdtempSync(join(tmpdir(), 'jurist-outside-'))
let made: Project

/** As a program of the user's does, without a config. */
async function run(name: string, dataset: string): Promise<void> {
  const running = runExperiment({
    name,
    dataset,
    provision: copyWorkspaces(),
    agent: async ({ workspace }) => {
      await workspace.write('add.js', 'mended\n')
      return completed()
    },
    jury: () => true,
    store: await made.results.store(),
  })
  await running.result
}

beforeAll(async () => {
  const files = {
    'dataset.json': manifest,
    'items/adder/item.json': item,
    'items/adder/before/add.js': 'broken\n',
  }
  made = project(Object.fromEntries(Object.entries(files).map(([path, text]) => [`dataset/${path}`, text])))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(outside, path, '..'), { recursive: true })
    writeFileSync(join(outside, path), text)
  }
  symlinkSync(outside, join(made.directory, 'linked'))
  await run('inside', join(made.directory, 'dataset'))
  await run('outside', outside)
  await run('linked', join(made.directory, 'linked'))
})
afterAll(() => {
  made[Symbol.dispose]()
  rmSync(outside, { recursive: true })
})

const change = '      -broken\n      +mended\n'

test('a run from code, without a config, is compared with its dataset in the project', async () => {
  const { code, stdout } = await made.jurist('show', 'inside', 'adder', '--diff')
  expect([code, stdout]).toEqual([0, expect.stringContaining(change)])
})

test.each(['outside', 'linked'])('a dataset that does not lie in the project is not read unasked: %s', async (name) => {
  const { stdout } = await made.jurist('show', name, 'adder', '--diff')
  expect(stdout).not.toContain('broken')
  expect(stdout).not.toContain('no longer')
  expect(stdout).toMatch(/outside the results .* and is not read\. Name a directory that holds it: --source <dir>/)
})

test('--source names further directories', async () => {
  const { stdout } = await made.jurist('show', 'outside', 'adder', '--diff', '--source', 'dataset', '--source', outside)
  expect(stdout).toContain(change)
  const missing = await made.jurist('show', 'outside', 'adder', '--diff', '--source', 'nowhere')
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('nowhere is missing. Give a directory.')])
  const alone = await made.jurist('show', 'outside', 'adder', '--source', outside)
  expect([alone.code, alone.stderr]).toEqual([2, expect.stringContaining('--source needs --diff')])
})

test('a record that names the home of the user or a whole disk as its dataset opens nothing', async () => {
  const env = { HOME: made.directory }
  const { stdout } = await made.juristWith(env, 'show', 'inside', 'adder', '--diff')
  expect(stdout).not.toContain('broken')
})
