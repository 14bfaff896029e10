import { aResult } from '@jurist/experiment/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import { chosenRuns, selectedRuns, toggledRun } from '../page/runs/run-selection.js'
import { runsInMemory } from '../src/answers/run-reader.js'

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
    ['sort=experiment&order=asc', ['c', 'b', 'a']],
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

test('at most two runs are chosen: a third one replaces the first, and a chosen one is removed', () => {
  const steps: [string, readonly string[]][] = [
    ['a', ['a']],
    ['b', ['a', 'b']],
    ['c', ['b', 'c']],
    ['b', ['c']],
    ['c', []],
  ]
  let query = new URLSearchParams()
  for (const [id, expected] of steps) {
    query = new URLSearchParams({ compare: toggledRun(chosenRuns(query), id).join(',') })
    expect(chosenRuns(query)).toEqual(expected)
  }
})
