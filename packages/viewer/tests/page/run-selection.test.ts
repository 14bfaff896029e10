import { aResult } from '@jurist/experiment/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import { namesIn, toggled } from '../../page/router.js'
import { groupedRuns, runBefore, selectedRuns } from '../../page/runs/run-selection.js'
import { runsInMemory } from '../../src/answers/run-reader.js'

const results = [
  aResult({ id: 'a', experimentName: 'shop', variant: 'large', startedAt: '2026-01-01T00:00:00.000Z' }),
  aResult({ id: 'b', experimentName: 'shop', variant: null, startedAt: '2026-01-03T00:00:00.000Z' }),
  aResult({
    id: 'c',
    experimentName: 'answers',
    variant: 'small',
    startedAt: '2026-01-02T00:00:00.000Z',
    kind: 'judge',
  }),
]

describe('the runs that match a query', () => {
  let runs: Awaited<ReturnType<ReturnType<typeof runsInMemory>['entries']>> = []
  beforeAll(async () => {
    runs = await runsInMemory(results).entries()
  })
  const ids = (query: string) => selectedRuns(runs, new URLSearchParams(query)).map(({ id }) => id)

  test.each([
    ['', ['b', 'c', 'a']],
    ['q=SHOP', ['b', 'a']],
    ['q=shop+large', ['a']],
    ['q=shop+small', []],
    ['kind=judge', ['c']],
    ['sort=started', ['a', 'c', 'b']],
    ['sort=experiment', ['b', 'c', 'a']],
    ['sort=time&order=desc', ['b', 'c', 'a']],
    ['sort=unknown', ['b', 'c', 'a']],
    ['sort=constructor', ['b', 'c', 'a']],
  ])('%j', (query, expected) => {
    expect(ids(query)).toEqual(expected)
  })

  test('come last without a value, in both orders', () => {
    expect(ids('sort=variant')).toEqual(['a', 'c', 'b'])
    expect(ids('sort=variant&order=desc')).toEqual(['c', 'a', 'b'])
  })
})

test('a click chooses a run or takes it away; no click takes another one away', () => {
  const steps: [string, readonly string[]][] = [
    ['a', ['a']],
    ['b', ['a', 'b']],
    ['c', ['a', 'b', 'c']],
    ['b', ['a', 'c']],
    ['c', ['a']],
  ]
  let query = new URLSearchParams()
  for (const [id, expected] of steps) {
    query = new URLSearchParams({ compare: toggled(namesIn(query, 'compare'), id).join(',') })
    expect(namesIn(query, 'compare')).toEqual(expected)
  }
})

describe('the runs of an experiment', () => {
  const night = (id: string, day: number, more: Parameters<typeof aResult>[0] = {}) =>
    aResult({ id, experimentName: 'shop', startedAt: `2026-01-0${day}T00:00:00.000Z`, ...more })
  const runs = () =>
    runsInMemory([
      night('first', 1),
      night('other variant', 2, { variant: 'large' }),
      night('stopped', 3, { items: [] }),
      night('second', 4),
      night('again', 5, { kind: 'rejudge' }),
      night('live', 6, { status: 'running' }),
      night('calibration', 7, { experimentName: 'answers', kind: 'judge' }),
    ]).entries()

  test('are a group in the order of the list, with the trend of its newest run', async () => {
    const all = await runs()
    const found = all.filter(({ id }) => id !== 'live')
    const groups = groupedRuns(found, all)
    expect(groups.map(({ experimentName }) => experimentName)).toEqual(['answers', 'shop'])
    expect(groups[1]?.runs).toHaveLength(5)
    expect(groups[1]?.all).toHaveLength(6)
    expect(groups[1]?.trend.map(({ id }) => id)).toEqual(['first', 'second'])
  })

  test('have a run before of the same variant and kind with a pass rate, or none', async () => {
    const all = await runs()
    const before = (id: string) => {
      const run = all.find((one) => one.id === id)
      return run && runBefore(run, all)?.id
    }
    expect(['live', 'second', 'first', 'other variant', 'again', 'calibration'].map(before)).toEqual([
      'second',
      'first',
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })
})
