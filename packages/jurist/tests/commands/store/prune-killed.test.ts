import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { anItem, aResult } from '@jurist/experiment/testing'
import { describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'
import { onPostgres } from '../../project-results.js'

const count = 120

async function withRuns(made: Project): Promise<void> {
  await using store = await made.results.store()
  const files: Record<string, string> = {}
  for (let index = 0; index < count; index++) {
    const run = aResult({ experimentName: 'shop', items: [anItem(), anItem({ itemId: 'b' })], planned: 2 })
    await store.save(run)
    for (const name of ['a/one.txt', 'a/two.txt', 'b/one.txt'])
      files[`results/shop/${run.id}/workspaces/${name}`] = name
  }
  made.write(files)
}

/** Kills the removal of all runs when the first one is gone. `false`: it has ended before. */
async function isKilledInTheMiddle(made: Project): Promise<boolean> {
  const { child, ended } = made.start('store', 'prune', '--keep', '0', '--yes')
  while ((await made.results.runs('shop')).length === count && child.exitCode === null) await setImmediate()
  child.kill('SIGKILL')
  return (await ended).code === null
}

describe.skipIf(onPostgres)('kill -9 in the middle of jurist store prune', () => {
  test('leaves every run whole or gone, and the next removal goes on', async () => {
    using made = project()
    do await withRuns(made)
    while (!(await isKilledInTheMiddle(made)))
    const left = await made.results.runs('shop')
    expect(left.length).toBeLessThan(count)
    for (const id of left)
      for (const name of ['run.json', 'items.jsonl', 'trials.jsonl', 'workspaces/a/two.txt', 'workspaces/b/one.txt'])
        expect([id, name, existsSync(join(made.directory, 'results/shop', id, name))]).toEqual([id, name, true])
    const checked = await made.jurist('store', 'check')
    expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining(`${left.length} run`)])
    const store = await made.results.store()
    const listed: string[] = []
    for await (const { id } of store.list({ order: 'oldest' })) listed.push(id)
    expect(listed.sort()).toEqual(left)
    const again = await made.jurist('store', 'prune', '--keep', '0', '--yes', '--json')
    expect([again.code, again.stderr]).toEqual([0, ''])
    expect(JSON.parse(again.stdout).going.map(({ outcome }: { readonly outcome: string }) => outcome)).toEqual(
      left.map(() => 'removed'),
    )
    expect(await made.results.runs('shop')).toEqual([])
    // What the killed process had begun to remove is gone, too.
    expect(readdirSync(join(made.directory, 'results/shop')).filter((name) => name.endsWith('.tmp'))).toEqual([])
  })
})
