import { cpSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { onPostgres } from '../../project-results.js'
import { scannedProject } from './scanned-project.js'

/** The files of a directory with their bytes. */
function filesIn(directory: string): ReadonlyMap<string, string> {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  const files = names.filter((name) => statSync(join(directory, name)).isFile())
  return new Map(files.map((name) => [name, readFileSync(join(directory, name), 'base64')]))
}

test.skipIf(onPostgres)('scans of twenty runs change no byte of verdicts, labels and certificates', async () => {
  using home = scannedProject()
  await home.jurist('run', 'mine', '--repeat', '2')
  const store = await home.results.store()
  const [id = ''] = await home.results.runs('mine')
  const run = await store.load(id)
  if (run === undefined) throw new Error('There is no run.')
  const place = (of: string) => join(home.directory, 'results/mine', of)
  for (let index = 1; index < 20; index++) {
    const copy = `${id.slice(0, -2)}${String(index).padStart(2, '0')}`
    await store.save({ ...run, id: copy })
    // Its journals and workspaces, but not its record.
    cpSync(place(id), place(copy), { recursive: true, force: false })
  }
  const ids = await home.results.runs('mine')
  expect(ids).toHaveLength(20)
  home.write({ 'certificate.json': '{ "version": 1 }\n', [`results/mine/${id}/labels.jsonl`]: '{"itemId":"tests"}\n' })
  const before = filesIn(home.directory)
  for (const one of ids) expect((await home.jurist('scan', one)).code).toBe(0)
  const after = filesIn(home.directory)
  const added = [...after.keys()].filter((name) => !before.has(name)).sort()
  expect(added).toEqual(ids.map((one) => join('results/mine', one, 'findings.jsonl')).sort())
  for (const [name, bytes] of before) expect(after.get(name), name).toBe(bytes)
})
