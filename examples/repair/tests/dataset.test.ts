import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDataset } from '@jurist/experiment'
import { afterAll, expect, test } from 'vitest'

const example = fileURLToPath(new URL('../', import.meta.url))
const root = mkdtempSync(join(tmpdir(), 'repair-dataset-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const dataset = await openDataset(join(example, 'dataset'))
const ids = dataset.entries.map(({ id }) => id)

test('has at least 20 sound items in TypeScript and JavaScript', async () => {
  expect(await dataset.problems()).toEqual([])
  const items = []
  for await (const item of dataset.items()) items.push(item)
  expect(items.length).toBeGreaterThanOrEqual(20)
  for (const language of ['typescript', 'javascript'])
    expect(items.filter(({ tags }) => tags.includes(language)).length).toBeGreaterThanOrEqual(10)
  expect(new Set(items.map(({ bucket }) => bucket)).size).toBeGreaterThanOrEqual(8)
})

/** Runs tests over sources in a directory of their own; the exit code. */
async function run(id: string, sources: string, ...tests: readonly string[]): Promise<number> {
  const item = join(example, 'dataset/items', id)
  const directory = mkdtempSync(join(root, `${id}-`))
  cpSync(join(item, sources, 'src'), join(directory, 'src'), { recursive: true })
  for (const from of tests) cpSync(join(item, from, 'tests'), join(directory, 'tests'), { recursive: true })
  const harness = [join(example, 'harness/run-tests.mjs'), 'tests']
  const [code] = await once(spawn(process.execPath, harness, { cwd: directory, stdio: 'ignore' }), 'exit')
  return code
}

test.concurrent.each(ids)('%s: the bug shows in both tests, the reference passes them', async (id) => {
  const item = join(example, 'dataset/items', id)
  expect(readdirSync(join(item, 'before'))).toEqual(['src', 'tests'])
  expect(readdirSync(join(item, 'before/tests'))).toHaveLength(1)
  expect(existsSync(join(item, 'reference/tests'))).toBe(true)
  expect(await run(id, 'before', 'before')).toBe(1)
  expect(await run(id, 'before', 'reference')).toBe(1)
  expect(await run(id, 'reference', 'before', 'reference')).toBe(0)
})
