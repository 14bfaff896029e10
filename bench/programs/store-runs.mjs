// node store-runs.mjs DIRECTORY: stores two runs of 50,000 trials each, of which about one in ten differs, and one of 100,000.
import { fileStore } from '@jurist/experiment/store'
import { anItem, aResult } from '@jurist/experiment/testing'

const [directory] = process.argv.slice(2)
const store = fileStore(directory)
for (const [experimentName, day, every, count] of [
  ['large', 1, 4, 50_000],
  ['large', 2, 5, 50_000],
  ['whole', 3, 4, 100_000],
]) {
  const items = Array.from({ length: count }, (_, index) => {
    const passed = index % every !== 0
    const scores = { build: passed ? 1 : 0, style: (index % 10) / 10 }
    return anItem({ itemId: `item-${index}`, passed, judged: passed ? 'pass' : 'fail', scores, costUsd: 0.01 })
  })
  await store.save(aResult({ id: `2026010${day}T000000000Z-aaaaaa`, experimentName, items }))
}
