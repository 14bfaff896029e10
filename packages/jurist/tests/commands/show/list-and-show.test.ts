import { anItem, aResult } from '@jurist/experiment/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Project, project } from '../../project.js'

/** The trials of 24 items, of which the first `passes` pass. */
function itemsOf(passes: number, costUsd: number) {
  return Array.from({ length: 24 }, (_, index) =>
    anItem({
      itemId: `item-${index}`,
      judged: index < passes ? 'pass' : 'fail',
      passed: index < passes,
      costUsd,
      judgeCostUsd: costUsd / 10,
    }),
  )
}

describe('runs and sessions in the terminal', () => {
  let made: Project
  const shared = { experimentName: 'shop', session: '20261101-020000', startedAt: '2026-11-01T02:00:00.000Z' }

  beforeAll(async () => {
    made = project()
    const store = await made.results.store()
    await store.save(aResult({ ...shared, variant: 'small', items: itemsOf(6, 0.5) }))
    await store.save(aResult({ ...shared, variant: 'large', items: itemsOf(22, 1) }))
    await store.save(aResult({ ...shared, variant: 'slow', items: itemsOf(21, 2) }))
    await store.save(
      aResult({ experimentName: 'shop', kind: 'judge', startedAt: '2026-11-02T02:00:00.000Z', durationMs: 61_000 }),
    )
    return () => made[Symbol.dispose]()
  })

  test('a list has dates, kinds, both costs and the time', async () => {
    const [head = '', ...rows] = (await made.jurist('list')).stdout.trimEnd().split('\n')
    expect(head.trim().split(/ {2,}/)).toEqual(
      'RUN,STARTED,EXPERIMENT,VARIANT,KIND,PASSED,RATE,AGENTS,JUDGES,TIME'.split(','),
    )
    expect(rows).toHaveLength(4)
    expect(rows[0]).toMatch(/2026-11-0[12] \d\d:\d\d .*judge .* – +– +1m 01s$/)
    expect(rows.join('\n')).toMatch(/small +agent +6\/24 +25\.0 % +\$12\.00 +\$1\.20 +1\.0 s/)
  })

  test('a list says what it does not show', async () => {
    const { stdout, stderr } = await made.jurist('list', '--limit', '3')
    expect([stdout.trimEnd().split('\n').length, stderr]).toEqual([
      4,
      expect.stringContaining('3 of 4 runs. More: --limit 4'),
    ])
    expect((await made.jurist('list')).stderr).not.toContain('More')
  })

  test('an unknown run is refused with the nearest experiment', async () => {
    const { code, stderr } = await made.jurist('show', 'shopp')
    expect([code, stderr]).toEqual([2, expect.stringMatching(/No run "shopp" in .*\. Did you mean "shop"\? Latest: /)])
  })

  test('--json prints one document', async () => {
    const runs = JSON.parse((await made.jurist('list', '--json')).stdout)
    expect(runs).toHaveLength(4)
    expect(runs[0]).toMatchObject({ kind: 'judge', durationMs: 61_000, gitCommit: null })
  })

  test('show of a session has its variants and the tests of every two', async () => {
    const { code, stdout } = await made.jurist('show', shared.session)
    expect(code).toBe(0)
    expect(stdout).toContain(`session ${shared.session}   3 variants`)
    expect(stdout).toMatch(/large +22\/24 +91\.7 % +74\.2 to 97\.7 +\$1\.10 +\$24\.00 +\$2\.40 +800 ms +yes\n/)
    expect(stdout).toMatch(/slow .* 800 ms\n/)
    expect(stdout).toMatch(/large less small +\+66\.7 points +< 0\.001 +< 0\.001 +24/)
    // One item differs: p is 1, and stays 1.
    expect(stdout).toMatch(/slow less large +-4\.2 points +1\.000 +1\.000 +24/)
    expect(stdout).toContain('Holm over 3 pairs')
  })

  test('show of a session as JSON is one document with the figures of the tables', async () => {
    const { stdout } = await made.jurist('show', shared.session, '--json')
    const { variants, pairs } = JSON.parse(stdout)
    expect(variants.map(({ variant }: { variant: string }) => variant).sort()).toEqual(['large', 'slow', 'small'])
    expect(pairs).toHaveLength(3)
    expect(pairs[0]).toMatchObject({ passRate: { items: 24, permutation: { tests: 3 } } })
  })

  test('show takes a trial as reports name it, and an item with all its trials', async () => {
    using other = project()
    const store = await other.results.store()
    const items = [1, 2].flatMap((repetition) => [
      anItem({ itemId: 'orders', repetition }),
      anItem({ itemId: 'orders#2', repetition }),
    ])
    await store.save(aResult({ experimentName: 'shop', items }))
    const shown = async (name: string) => {
      const trials = [JSON.parse((await other.jurist('show', 'shop', name, '--json')).stdout)].flat()
      return trials.map(({ itemId, repetition }) => [itemId, repetition])
    }
    expect(await shown('orders#1')).toEqual([['orders', 1]])
    expect(await shown('orders#2#1')).toEqual([['orders#2', 1]])
    expect(await shown('orders')).toEqual([
      ['orders', 1],
      ['orders', 2],
    ])
    expect((await other.jurist('show', 'shop', 'orders#1')).stdout).toContain('orders#1')
    const { code, stderr } = await other.jurist('show', 'shop', 'orders#7')
    expect([code, stderr]).toEqual([2, expect.stringMatching(/orders#7/)])
  })

  test('a session has no trials of its own: the message names a run', async () => {
    for (const more of [['--failures'], ['item-1']]) {
      const { code, stderr } = await made.jurist('show', shared.session, ...more)
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/is a session\. Name one of its runs: jurist show \d+T/),
      ])
    }
  })

  test('an experiment that has the name of a session is shown as itself', async () => {
    using other = project()
    const store = await other.results.store()
    await store.save(aResult({ experimentName: 'shop', session: 'shop', variant: 'small' }))
    expect((await other.jurist('show', 'shop')).stdout).toMatch(/^shop {2}small {3}run /)
  })
})
