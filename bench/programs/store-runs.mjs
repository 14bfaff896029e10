// node store-runs.mjs PLACE [million]: stores, in a directory or a database, two runs of 50,000 trials each, of which about one in ten differs, and one of
// 100,000, or with `million` twenty runs of 50,000; each trial with the verdict of a jury of two, 1.5 KB.
import { consensus, fail, jury, pass } from '@jurist/core'
import { anItem, aResult } from '@jurist/experiment/testing'
import { openStore } from './open-store.mjs'

const [place, million] = process.argv.slice(2)
const store = openStore(place)
const verdictOf = (passed) => {
  const build = () =>
    passed ? pass('it builds') : fail('it does not build', { checks: [{ name: 'exit code', passed, message: '1' }] })
  return jury({ judges: { build, style: () => pass('as agreed') }, vote: consensus() }).vote({})
}
const verdicts = { true: await verdictOf(true), false: await verdictOf(false) }
const nights = Array.from({ length: 20 }, (_, night) => ['nightly', night + 1, 4 + (night % 3), 50_000])
const few = [
  ['large', 1, 4, 50_000],
  ['large', 2, 5, 50_000],
  ['whole', 3, 4, 100_000],
]
for (const [experimentName, day, every, count] of million === undefined ? few : nights) {
  const items = Array.from({ length: count }, (_, index) => {
    const passed = index % every !== 0
    const scores = { build: passed ? 1 : 0, style: (index % 10) / 10 }
    const judged = { passed, judged: passed ? 'pass' : 'fail', verdict: verdicts[passed], scores }
    return anItem({ itemId: `item-${index}`, ...judged, costUsd: 0.01 })
  })
  await store.save(aResult({ id: `202601${String(day).padStart(2, '0')}T000000000Z-aaaaaa`, experimentName, items }))
}
await store[Symbol.asyncDispose]()
