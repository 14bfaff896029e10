// node store-runs.mjs DIRECTORY: stores two runs of 50,000 trials each, of which about one in ten differs.
import { fileStore } from '@jurist/experiment/store'
import { anItem, aResult } from '@jurist/experiment/testing'

const [directory] = process.argv.slice(2)
const store = fileStore(directory)
for (const [day, every] of [
  [1, 4],
  [2, 5],
]) {
  const items = Array.from({ length: 50_000 }, (_, index) => {
    const passed = index % every !== 0
    const scores = { build: passed ? 1 : 0, style: (index % 10) / 10 }
    return anItem({ itemId: `item-${index}`, passed, judged: passed ? 'pass' : 'fail', scores, costUsd: 0.01 })
  })
  await store.save(aResult({ id: `2026010${day}T000000000Z-aaaaaa`, experimentName: 'large', items }))
}
