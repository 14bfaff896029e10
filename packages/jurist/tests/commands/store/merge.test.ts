import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Project, project, yamlConfigOf } from '../../project.js'
import { onPostgres } from '../../project-results.js'

const items = JSON.stringify(
  Array.from({ length: 5 }, (_, index) => ({
    id: `item-${index + 1}`,
    task: 'Say yes.',
    before: { type: 'files', files: { 'a.txt': 'a' } },
  })),
)
const agent = `agent: { command: ["sh", "-c", "cat > said.txt; echo yes"] }
    preserveWorkspaces: all`

/** A project with three shards in `shards/1` to `shards/3`. */
async function sharded(rest = '', ...flags: readonly string[]): Promise<Project> {
  const config = yamlConfigOf({ dataset: items, rest }).replace('agent: { command: ["true"] }', agent)
  const place = project({ 'jurist.config.yaml': config })
  for (const index of [1, 2, 3]) {
    const { code, stderr } = await place.jurist(
      'run',
      '--shard',
      `${index}/3`,
      '--results',
      `shards/${index}`,
      ...flags,
    )
    expect([code, stderr]).toEqual([0, stderr])
  }
  return place
}

function mergedIn({ stdout }: { readonly stdout: string }) {
  return JSON.parse(stdout).results
}

describe('jurist store merge', () => {
  test('makes one run of results directories, with workspaces and journals, and applies the gates', async () => {
    using place = await sharded()
    const merged = await place.jurist(
      'store',
      'merge',
      'shards/3',
      'shards/1',
      'shards/2',
      '--threshold',
      '80%',
      '--json',
    )
    expect([merged.code, merged.stderr]).toEqual([0, merged.stderr])
    const [run] = mergedIn(merged)
    expect(run).toMatchObject({
      status: 'completed',
      planned: 5,
      passRate: 1,
      merged: [{}, {}, {}].map(() => expect.any(String)),
    })
    expect(run.items.map(({ itemId }: { itemId: string }) => itemId)).toEqual(
      JSON.parse(items).map(({ id }: { id: string }) => id),
    )
    const results = join(place.directory, onPostgres ? 'fetched' : 'results')
    await using store = await place.results.store()
    await store.fetchFiles?.(run.id, results)
    const home = join(results, 'demo', run.id)
    for (const { workspacePath, journalPath } of run.items) {
      expect(readFileSync(join(home, workspacePath, 'said.txt'), 'utf8')).toContain('Say yes.')
      expect(readFileSync(join(home, journalPath), 'utf8')).not.toBe('')
    }
    const shown = await place.jurist('show', run.id, '--item', 'item-2', '--journal')
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('Journal   4 steps')])
    const strict = await place.jurist('store', 'merge', 'shards/1', 'shards/2', 'shards/3', '--max-cost', '1')
    expect([strict.code, strict.stderr]).toEqual([1, expect.stringContaining('Missed: cost unknown')])
  })

  test('writes the same bytes whatever the order, and from bundles', async () => {
    using place = await sharded()
    for (const index of [1, 2, 3])
      await place.jurist(
        'store',
        'bundle',
        'latest',
        '--results',
        `shards/${index}`,
        '-o',
        `shard-${index}.tgz`,
        '--workspaces',
        '--journals',
      )
    const orders = [
      ['shards/1', 'shards/2', 'shards/3'],
      ['shards/3', 'shards/1', 'shards/2'],
      ['shard-2.tgz', 'shards/3', 'shard-1.tgz', 'shards/2'],
    ]
    const bytes: string[] = []
    for (const [index, places] of orders.entries()) {
      const { code, stdout, stderr } = await place.jurist('store', 'merge', ...places, '--into', `into-${index}`)
      if (!onPostgres) expect(stdout).toContain(`jurist --results into-${index} show `)
      expect([code, stderr]).toEqual([0, stderr])
      const home = join(place.directory, `into-${index}/demo`)
      const [id = ''] = readdirSync(home).filter((name) => name.startsWith('20'))
      bytes.push(readFileSync(join(home, id, 'items.jsonl'), 'utf8'))
      expect(readdirSync(join(home, id))).toEqual(expect.arrayContaining(['workspaces', 'journal']))
    }
    expect(new Set(bytes).size).toBe(1)
  })

  test('makes a session of the shards of variants', async () => {
    using place = await sharded('variants: { a: {}, b: { model: large } }', '--session', 'build-7')
    const merged = await place.jurist('store', 'merge', 'shards/1', 'shards/2', 'shards/3', '--json', '-o', 'report.md')
    expect([merged.code, merged.stderr]).toEqual([0, merged.stderr])
    expect(mergedIn(merged)).toMatchObject([
      { variant: 'a', session: 'build-7', counts: { run: 5 } },
      { variant: 'b', session: 'build-7', counts: { run: 5 } },
    ])
    expect(JSON.parse(merged.stdout).sessions).toEqual(['build-7'])
    const compared = await place.jurist('compare', 'demo@a', 'demo@b')
    expect(compared.code).toBe(0)
    const session = await place.jurist('show', 'build-7')
    expect([session.code, session.stdout]).toEqual([0, expect.stringContaining('session build-7')])
    const again = await place.jurist('run', '--session', 'build-7', '--resume')
    expect(again.stderr).toContain('nothing is unfinished')
  })

  test('refuses shards of different sessions, which are not parts of one run', async () => {
    using place = await sharded('variants: { a: {} }', '--session', 'build-7')
    await place.jurist('run', '--shard', '3/3', '--session', 'build-8', '--results', 'other')
    const { code, stderr } = await place.jurist('store', 'merge', 'shards/1', 'shards/2', 'other')
    const lines = ['  demo a, session build-7: shard 1/3, 2/3', '  demo a, session build-8: shard 3/3']
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`of several sessions, so they do not make one run:\n${lines.join('\n')}\n`),
    ])
    const one = await place.jurist('store', 'merge', 'other')
    expect([one.code, one.stderr]).toEqual([
      1,
      expect.stringContaining('shard 1/3 of demo a (session build-8) is missing'),
    ])
  })

  test('names missing shards with exit code 1; --allow-missing makes a run that is resumed', async () => {
    using place = await sharded()
    const refused = await place.jurist('store', 'merge', 'shards/1', 'shards/3')
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('shard 2/3 of demo is missing')])
    const merged = await place.jurist('store', 'merge', 'shards/1', 'shards/3', '--allow-missing', '--json')
    expect(merged.code).toBe(0)
    const [{ id, status }] = mergedIn(merged)
    expect(status).toBe('interrupted')
    expect(merged.stderr).toContain('warning: shard 2/3 of demo is missing')
    expect(merged.stderr).toContain(`Run ${id} has 3 of 5 trials. Run the others: jurist run demo --resume ${id}`)
    const resumed = await place.jurist('run', '--resume', id, '--json')
    expect([resumed.code, mergedIn(resumed)[0].counts]).toEqual([0, expect.objectContaining({ run: 5, notRun: 0 })])
  })

  test('compares with a baseline of the results, and deals by the durations that it wrote', async () => {
    using place = await sharded()
    await place.jurist('store', 'merge', 'shards/1', 'shards/2', 'shards/3', '--durations', 'durations.json')
    const durations = JSON.parse(readFileSync(join(place.directory, 'durations.json'), 'utf8'))
    expect(Object.keys(durations)).toEqual(['item-1', 'item-2', 'item-3', 'item-4', 'item-5'])
    for (const index of [1, 2]) {
      const timed = ['--shard', `${index}/2`, '--durations', 'durations.json', '--results', 'timed']
      expect((await place.jurist('run', ...timed)).code).toBe(0)
    }
    const { code, stdout, stderr } = await place.jurist(
      'store',
      'merge',
      'timed',
      '--baseline',
      'latest',
      '--fail-on',
      'regression',
    )
    expect([code, stderr]).toEqual([0, stderr])
    expect(stdout).toMatch(/no (evidence of a )?difference|same|equal/i)
  })

  test('refuses what is not the shards of one run, and stores nothing', async () => {
    using place = await sharded()
    place.write({ 'empty/a.txt': '', 'broken.tgz': 'no archive' })
    const config = readFileSync(join(place.directory, 'jurist.config.yaml'), 'utf8')
    place.write({ 'other.yaml': config.replace('demo:', 'demo:\n    model: large') })
    await place.jurist('run', '-c', 'other.yaml', '--shard', '3/3', '--results', 'other')
    place.write({
      'own.config.ts':
        "import { defineConfig, memoryStore } from 'jurist'\nexport default defineConfig({ store: memoryStore(), experiments: {} })\n",
    })
    const all = ['shards/1', 'shards/2', 'shards/3']
    const refused: (readonly [readonly string[], RegExp])[] = [
      [
        ['nothing', 'shards/1', 'no'],
        /^nothing does not exist\. Name a results directory, or a bundle.*\nno does not exist\./,
      ],
      [['postgres://u:secret@host/db'], /^Results in a database are copied first: jurist store copy/],
      [['shards/1', 'jurist.config.yaml'], /jurist\.config\.yaml is not a results directory/],
      [['empty'], /empty has no shard\. Make one: jurist run --shard/],
      [['broken.tgz'], /broken\.tgz/],
      [[...all, '--reporter', 'json'], /Unknown reporter "json"\. Available: github, csv/],
      [[...all, '--baseline', '20200101T000000000Z-aaaaaa'], /No run "20200101/],
      [['shards/1', 'shards/2', 'other'], /differ in model: null and "large"/],
    ]
    if (!onPostgres)
      refused.push([[...all, '-c', 'own.config.ts'], /a directory or a database, and .* Add --into <dir>/])
    for (const [words, message] of refused) {
      const { code, stderr } = await place.jurist('store', 'merge', ...words)
      expect([words, code, stderr]).toEqual([words, 2, expect.stringMatching(message)])
    }
    expect(readdirSync(place.directory)).not.toContain('results')
  })
})
