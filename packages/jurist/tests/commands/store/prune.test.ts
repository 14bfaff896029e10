import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunRecord } from '@jurist/experiment/result'
import type { RunManifest } from '@jurist/experiment/store'
import { anItem, aResult } from '@jurist/experiment/testing'
import { describe, expect, test } from 'vitest'
import { bytesText } from '../../../src/terminal/cells.js'
import { type Project, project } from '../../project.js'
import { onPostgres } from '../../project-results.js'

const day = (number: number) => `2026-01-${String(number).padStart(2, '0')}T02:00:00.000Z`

/** Saves a run that started on this day of January. */
async function saved({ results }: Project, number: number, more: Partial<RunRecord> = {}): Promise<string> {
  const run = aResult({ experimentName: 'shop', startedAt: day(number), ...more })
  await using store = await results.store()
  await store.save(run)
  return run.id
}

/** What is known of a run when it begins. */
function manifestOf(number: number): RunManifest {
  const {
    items: _,
    endedAt,
    durationMs,
    status,
    stopReason,
    ...manifest
  } = aResult({
    ...{ experimentName: 'shop', startedAt: day(number), planned: 2 },
  })
  return manifest
}

async function nightly(made: Project, nights: number): Promise<readonly string[]> {
  const ids: string[] = []
  for (let night = 1; night <= nights; night++) ids.push(await saved(made, night))
  return ids
}

interface Document {
  readonly going: readonly { readonly id: string; readonly outcome: string; readonly neededFor: readonly string[] }[]
  readonly needed: readonly { readonly id: string; readonly neededFor: readonly string[] }[]
  readonly totalBytes: number | null
}

async function prunedBy(made: Project, ...argv: readonly string[]): Promise<Document> {
  const { code, stdout, stderr } = await made.jurist('store', 'prune', ...argv, '--json')
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout)
}

const idsOf = (runs: readonly { readonly id: string }[]) => runs.map(({ id }) => id)
const reasonsIn = ({ needed }: Document) => Object.fromEntries(needed.map(({ id, neededFor }) => [id, neededFor]))

describe('jurist store prune', () => {
  test('prints what would go, and removes it with --yes', async () => {
    using made = project()
    const [oldest = '', older = '', ...newest] = await nightly(made, 4)
    const dry = await made.jurist('store', 'prune', '--keep', '2')
    expect(dry.code).toBe(0)
    expect(dry.stdout).toContain(oldest)
    expect(dry.stdout).toMatch(/\n2 runs/)
    expect(dry.stderr).toContain('Nothing was removed. To remove these runs, add --yes.')
    expect(await made.results.runs('shop')).toHaveLength(4)
    const done = await made.jurist('store', 'prune', '--keep', '2', '--yes')
    expect([done.code, done.stdout]).toEqual([0, expect.stringMatching(/Removed 2 runs/)])
    expect([...(await made.results.runs('shop'))].sort()).toEqual([...newest].sort())
    expect(idsOf((await prunedBy(made, '--keep', '2')).going)).toEqual([])
    expect([oldest, older].every((id) => done.stdout.includes(id))).toBe(true)
  })

  test('each experiment, variant and kind has its own newest runs; --experiment selects', async () => {
    using made = project()
    const oldA = await saved(made, 1, { variant: 'a' })
    await saved(made, 2, { variant: 'a' })
    await saved(made, 1, { variant: 'b' })
    await saved(made, 1, { kind: 'judge' })
    const oldOther = await saved(made, 1, { experimentName: 'other' })
    await saved(made, 2, { experimentName: 'other' })
    expect(idsOf((await prunedBy(made, '--keep', '1')).going).sort()).toEqual([oldA, oldOther].sort())
    expect(idsOf((await prunedBy(made, '--keep', '1', '--experiment', 'other')).going)).toEqual([oldOther])
    const { code, stderr } = await made.jurist('store', 'prune', '--keep', '1', '--experiment', 'sop')
    expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean "shop"?')])
  })

  test('--older-than takes a date or an age, and leaves the newest run', async () => {
    using made = project()
    const ids = await nightly(made, 4)
    expect(idsOf((await prunedBy(made, '--older-than', '2026-01-03')).going)).toEqual(ids.slice(0, 2))
    expect(idsOf((await prunedBy(made, '--older-than', '1d')).going)).toEqual(ids.slice(0, 3))
    expect(idsOf((await prunedBy(made, '--older-than', '1d', '--keep', '0')).going)).toEqual(ids)
    expect(idsOf((await prunedBy(made, '--older-than', '2026-01-03', '--keep', '3')).going)).toEqual(ids.slice(0, 1))
  })

  test('what something needs stays, with the reason; a run that is named goes', async () => {
    using made = project()
    const baseline = await saved(made, 1)
    const source = await saved(made, 2)
    const shard = await saved(made, 3)
    const swept = await saved(made, 4, { variant: 'a', session: 's1' })
    const beside = await saved(made, 4, { variant: 'b', session: 's1' })
    const plain = await saved(made, 5)
    const lineage = {
      ...{ rejudgedFrom: source, root: source, systemReinvoked: false as const, originalStartedAt: day(2) },
      ...{ jury: 'other', tiers: null },
    }
    const rejudged = await saved(made, 6, { kind: 'rejudge', lineage, merged: [shard] })
    const newest = await saved(made, 7, { baseline })
    await saved(made, 8, { variant: 'a' })
    {
      await using store = await made.results.store()
      const entry = { status: 'completed', passRate: 1, trials: 1, costUsd: 0, durationMs: 1 } as const
      await store.sessions.create({ session: 's1', experimentName: 'shop' })
      await store.sessions.put('shop', 's1', { variant: 'a', runId: swept, ...entry })
      await store.sweeps.create({ sweep: 'w', experimentName: 'shop', expected: ['a'] })
      await store.sweeps.addSession('shop', 'w', 's1')
    }
    const document = await prunedBy(made, '--keep', '1')
    expect(idsOf(document.going)).toEqual([plain])
    // The session is the only one of its other variant, whose run is the newest.
    expect(reasonsIn(document)).toEqual({
      [baseline]: [`the baseline of ${newest}`],
      [source]: [`the source of ${rejudged}`],
      [shard]: [`the source of ${rejudged}`],
      [swept]: ['the sweep w', 'the session s1, whose other runs stay'],
    })
    expect((await made.jurist('store', 'prune', '--keep', '1')).stdout).toContain(
      `${swept}  needed: the sweep w; the session s1`,
    )
    const named = await prunedBy(made, source, beside, '--yes')
    expect(named.going).toMatchObject([
      { id: source, outcome: 'removed', neededFor: [`the source of ${rejudged}`] },
      { id: beside, outcome: 'removed', neededFor: ['the session s1, whose other runs stay'] },
    ])
    expect(await made.results.runs('shop')).not.toContain(source)
  })

  test('a session goes with its last run, also one that an earlier removal has left', async () => {
    using made = project()
    const entry = { status: 'completed', passRate: 1, trials: 1, costUsd: 0, durationMs: 1 } as const
    await using store = await made.results.store()
    async function session(name: string, runId: string, ended = true): Promise<void> {
      await store.sessions.create({ session: name, experimentName: 'shop' })
      await store.sessions.put('shop', name, { variant: 'a', runId, ...entry })
      if (ended) await store.sessions.finish('shop', name, 'completed')
    }
    const left = async () => (await store.sessions.list('shop')).map(({ session }) => session).sort()
    const [a, b] = [
      await saved(made, 1, { session: 'first' }),
      await saved(made, 1, { session: 'first', variant: 'b' }),
    ]
    await session('first', a)
    await session('beginning', 'a run that is about to begin', false)
    await session('stays', await saved(made, 8, { session: 'stays' }))
    const lost = await saved(made, 2, { session: 'lost' })
    await session('lost', lost)
    await store.remove(lost)
    expect((await made.jurist('store', 'prune', a, '--yes')).stdout).toContain('Removed 1 run, ')
    expect(await left()).toEqual(['beginning', 'first', 'stays'])
    const { stdout } = await made.jurist('store', 'prune', b, '--yes')
    expect(stdout).toMatch(/Removed 1 run(, [\d.]+ k?B)?, and 1 session without runs\./)
    expect(await left()).toEqual(['beginning', 'stays'])
    expect((await made.jurist('store', 'prune', '--keep', '1', '--yes')).stdout).toBe('No run would be removed.\n')
    await session('goes-on', await saved(made, 3, { session: 'goes-on' }), false)
    await session('was-killed', await saved(made, 3, { session: 'was-killed', status: 'interrupted' }), false)
    await prunedBy(made, '--keep', '0', '--unfinished', '--yes')
    expect(await left()).toEqual(['beginning', 'goes-on'])
  })

  test('a chain of baselines does not keep all runs', async () => {
    using made = project()
    const first = await saved(made, 1)
    const second = await saved(made, 2, { baseline: first })
    const third = await saved(made, 3, { baseline: second })
    const document = await prunedBy(made, '--keep', '1')
    expect(idsOf(document.going)).toEqual([first])
    expect(reasonsIn(document)).toEqual({ [second]: [`the baseline of ${third}`] })
  })

  test('an unfinished run stays without --unfinished, one that is being written always', async () => {
    using made = project()
    const ids = await nightly(made, 2)
    await using store = await made.results.store()
    const stopped = manifestOf(1)
    const writer = await store.open(stopped)
    await writer.append(anItem())
    await writer.release()
    const running = await store.open(manifestOf(1))
    expect(idsOf((await prunedBy(made, '--keep', '1')).going)).toEqual(ids.slice(0, 1))
    const unfinished = await prunedBy(made, '--keep', '0', '--unfinished', '--yes')
    expect(idsOf(unfinished.going).sort()).toEqual([...ids, stopped.id].sort())
    expect(await made.results.runs('shop')).toEqual([running.runId])
    expect((await prunedBy(made, running.runId, '--yes')).going).toMatchObject([{ outcome: 'locked' }])
    await running.release()
  })

  test.each([
    [['--keep', '-1'], '--keep must be an integer'],
    [['--older-than', '30'], '--older-than must be an age or a date, such as 12h, 30d, 8w or 2026-10-01 (got "30").'],
    [['--max-size', '2'], '--max-size must be a size with a unit, such as 500MB, 2GB or 2GiB (got "2").'],
    [[], 'Say what to remove'],
    [['latest', '--keep', '2'], 'Name runs, or select them by flags, not both.'],
  ])('refuses %j', async (argv, message) => {
    using made = project()
    await saved(made, 1)
    const { code, stderr } = await made.jurist('store', 'prune', '--yes', ...argv)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
    expect(await made.results.runs('shop')).toHaveLength(1)
  })
})

describe.skipIf(onPostgres)('jurist store prune in a results directory', () => {
  test('labels keep a run', async () => {
    using made = project()
    const [labelled = ''] = await nightly(made, 2)
    made.write({ [`results/shop/${labelled}/labels.jsonl`]: '{"itemId":"a","label":"pass"}\n' })
    expect(reasonsIn(await prunedBy(made, '--keep', '1'))).toEqual({ [labelled]: ['it has labels'] })
  })

  test('--max-size removes the oldest until the rest is small enough', async () => {
    using made = project()
    const ids = await nightly(made, 4)
    for (const id of ids) made.write({ [`results/shop/${id}/workspaces/a/big.bin`]: 'x'.repeat(100_000) })
    made.write({ [`results/shop/${ids[0]}/labels.jsonl`]: '{"itemId":"a","label":"pass"}\n' })
    const document = await prunedBy(made, '--max-size', '250kB')
    expect(idsOf(document.going)).toEqual(ids.slice(1, 3))
    expect(document.totalBytes).toBeGreaterThan(400_000)
    expect((await made.jurist('store', 'prune', '--max-size', '1kB')).stdout).toContain(
      'That is more than --max-size: no other run can be removed.',
    )
    expect(idsOf((await prunedBy(made, '--max-size', '1GB')).going)).toEqual([])
  })

  test('links are not followed, and runs elsewhere are refused', async () => {
    using made = project()
    using elsewhere = project()
    const [linked = ''] = await nightly(made, 2)
    const [foreign = ''] = await nightly(elsewhere, 1)
    const place = join(made.directory, 'results/shop', linked)
    const target = join(elsewhere.directory, 'moved')
    renameSync(place, target)
    symlinkSync(target, place)
    expect(reasonsIn(await prunedBy(made, '--keep', '1', '--yes'))).toEqual({
      [linked]: ['its directory is a link, which is not followed'],
    })
    const byName = await made.jurist('store', 'prune', linked, '--yes')
    expect([byName.code, byName.stderr]).toEqual([2, expect.stringContaining('is a link, which is not followed')])
    const outside = await made.jurist('store', 'prune', join(elsewhere.directory, 'results/shop', foreign), '--yes')
    expect([outside.code, outside.stderr]).toEqual([2, expect.stringContaining('Nothing was removed.')])
    expect([existsSync(join(target, 'run.json')), await elsewhere.results.runs('shop')]).toEqual([true, [foreign]])
  })

  test('a link inside a run is removed, and what it leads to stays', async () => {
    using made = project({ 'precious/file.txt': 'keep' })
    const [old = ''] = await nightly(made, 2)
    mkdirSync(join(made.directory, 'results/shop', old, 'workspaces'))
    symlinkSync(join(made.directory, 'precious'), join(made.directory, 'results/shop', old, 'workspaces/link'))
    expect((await prunedBy(made, '--keep', '1', '--yes')).going).toMatchObject([{ id: old, outcome: 'removed' }])
    expect(readdirSync(join(made.directory, 'precious'))).toEqual(['file.txt'])
  })

  test('what a removal that was stopped has left is no run', async () => {
    using made = project()
    const [old = '', newest = ''] = await nightly(made, 2)
    const place = join(made.directory, 'results/shop')
    renameSync(join(place, old), join(place, `${old}.0a1b2c3d4e5f.tmp`))
    writeFileSync(join(place, `${old}.0a1b2c3d4e5f.tmp`, 'half'), '')
    expect(idsOf(JSON.parse((await made.jurist('list', '--json')).stdout))).toEqual([newest])
    expect(idsOf((await prunedBy(made, '--keep', '0')).going)).toEqual([newest])
  })
})

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [999_400, '999 kB'],
  [999_600, '1.0 MB'],
  [1_234_567, '1.2 MB'],
  [123_456_789, '123 MB'],
  [5e12, '5.0 TB'],
])('%i bytes are %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text)
})
