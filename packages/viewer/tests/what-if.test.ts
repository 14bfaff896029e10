import {
  average,
  cascade,
  consensus,
  fail,
  fileExists,
  jury,
  numerical,
  pass,
  scored,
  type Verdict,
} from '@jurist/core'
import { memoryWorkspace } from '@jurist/core/testing'
import { anItem, aResult } from '@jurist/experiment/testing'
import { describe, expect, test } from 'vitest'
import { ballotsDocument } from '../src/answers/ballots.js'
import { changedTrials } from '../src/what-if/changed-trials.js'
import { juriesOf, settingsFrom } from '../src/what-if/settings.js'

/** A run of trials with these verdicts. */
function runOf(verdicts: readonly (Verdict | null)[]) {
  const items = verdicts.map((verdict, index) => {
    const status = verdict?.aggregated.status
    const passed = status === 'pass' ? true : status === 'fail' ? false : null
    return anItem({ itemId: `item-${index}`, verdict, passed, judged: status ?? 'not-judged' })
  })
  return ballotsDocument(aResult({ items }))
}

const workspace = memoryWorkspace({ 'a.txt': 'a' })
const measured = (...scores: readonly number[]) =>
  jury({
    judges: Object.fromEntries(
      scores.map((score, index) => [
        `judge-${index}`,
        { judge: async () => scored(numerical(score), { passingAt: 0.5 }), weight: index + 1 },
      ]),
    ),
    vote: average({ threshold: 0.6 }),
  }).vote({ workspace })

const tried = (ballots: ReturnType<typeof runOf>, query: string) =>
  changedTrials(ballots, settingsFrom(new URLSearchParams(query)))

describe('what if a jury', () => {
  test('had voted as it did: nothing changes', async () => {
    const ballots = runOf([await measured(0.9, 0.2), await measured(0.4, 0.9), null])
    expect(await tried(ballots, '')).toEqual({ changed: [], passes: 1, decided: 2, unknown: 0 })
  })

  test('had another threshold', async () => {
    const ballots = runOf([await measured(0.9, 0.2), await measured(0.4, 0.9)])
    const { changed, passes } = await tried(ballots, 'threshold:=0.5')
    expect(changed).toEqual([{ itemId: 'item-0', repetition: 1, from: false, to: 'pass' }])
    expect(passes).toBe(2)
  })

  test('had another vote, or other weights', async () => {
    const ballots = runOf([await measured(0.9, 0.2), await measured(0.4, 0.9)])
    expect((await tried(ballots, 'vote:=consensus')).changed.map(({ itemId, to }) => [itemId, to])).toEqual([
      ['item-1', 'fail'],
    ])
    const weighed = 'vote:=weightedAverage&threshold:=0.6&weight:/judge-0=9&weight:/judge-1=1'
    expect((await tried(ballots, weighed)).changed.map(({ itemId, to }) => [itemId, to])).toEqual([
      ['item-0', 'pass'],
      ['item-1', 'fail'],
    ])
  })

  test('keeps its threshold when only errors are to count otherwise', async () => {
    const ballots = runOf([await measured(0.9, 0.2), await measured(0.4, 0.9)])
    expect((await tried(ballots, 'errors:=ignore')).changed).toEqual([])
  })
})

describe('what if a cascade', () => {
  const run = (first: boolean, last: boolean) =>
    cascade([
      {
        name: 'gate',
        policy: 'reject-on-any-fail',
        jury: jury({
          judges: { a: async () => (first ? pass('a') : fail('a')), b: fileExists('a.txt') },
          vote: consensus(),
        }),
      },
      { name: 'end', policy: 'final', jury: jury({ judges: { c: async () => (last ? pass('c') : fail('c')) } }) },
    ]).vote({ workspace })

  test('is known by its tiers', async () => {
    const ballots = runOf([await run(true, true), await run(false, true)])
    expect(juriesOf(ballots).map(({ name, policy, seats }) => [name, policy, [...seats.keys()]])).toEqual([
      ['gate', 'reject-on-any-fail', ['a', 'b']],
      ['end', 'final', ['c']],
    ])
  })

  test('had a gate that opens: what it needs and did not run is unknown', async () => {
    const ballots = runOf([await run(true, false), await run(false, true), await run(true, true)])
    expect(await tried(ballots, 'policy:gate=accept-on-all-pass')).toEqual({
      changed: [
        { itemId: 'item-0', repetition: 1, from: false, to: 'pass' },
        { itemId: 'item-1', repetition: 1, from: false, to: 'unknown' },
      ],
      passes: 2,
      decided: 2,
      unknown: 1,
    })
  })

  test('rejects on any fail, whatever the gate votes', async () => {
    const ballots = runOf([await run(false, true)])
    expect((await tried(ballots, 'vote:gate=majority')).changed).toEqual([])
  })
})

test('what an address says is read with care', () => {
  const settings = settingsFrom(
    new URLSearchParams('vote:=dictator&threshold:=2&weight:a/b=-1&weight:a/c=2&policy:a=final&errors:a=ignore&q=x'),
  )
  expect([...settings]).toEqual([['a', { weights: { c: 2 }, onError: 'ignore' }]])
})

test('ten thousand different verdicts are voted on again', async () => {
  const verdicts = await Promise.all(
    Array.from({ length: 10_000 }, (_, index) => measured(index / 10_000, 1 - index / 20_000)),
  )
  const ballots = runOf(verdicts)
  const { changed } = await tried(ballots, 'threshold:=0.7')
  expect(changed.length).toBeGreaterThan(1_000)
})
