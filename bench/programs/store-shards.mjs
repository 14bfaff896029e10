// node store-shards.mjs DIRECTORY: stores the 100 shards of a run of 100,000 trials of 1.5 KB, each in its own results directory.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { consensus, jury, pass } from '@jurist/core'
import { fileStore } from '@jurist/experiment/store'
import { anItem, aResult } from '@jurist/experiment/testing'

const [directory] = process.argv.slice(2)
const judged = jury({ judges: { build: () => pass('it builds'), style: () => pass('as agreed') }, vote: consensus() })
const outcome = { passed: true, judged: 'pass', verdict: await judged.vote({}), scores: { build: 1, style: 0.5 } }
const itemOrder = Array.from({ length: 100_000 }, (_, index) => `item-${index}`)
const places = itemOrder.map((id) => [createHash('sha256').update(`${id}#1`).digest('hex'), id])
const shardOf = new Map(places.sort().map(([, id], position) => [id, (position % 100) + 1]))
for (let index = 1; index <= 100; index++) {
  const own = itemOrder.filter((id) => shardOf.get(id) === index)
  const items = own.map((itemId) => anItem({ itemId, ...outcome, costUsd: 0.01 }))
  const shard = { index, count: 100, by: 'order', trials: items.length, durations: null }
  const id = `20260101T000000${String(index).padStart(3, '0')}Z-aaaaaa`
  const configuration = { repetitions: 1 }
  const run = aResult({ id, experimentName: 'large', items, shard, itemOrder, planned: 100_000, configuration })
  const store = fileStore(join(directory, String(index)))
  await store.save(run)
  await store[Symbol.asyncDispose]()
}
