// node compare-runs.mjs PLACE: lists the two runs in that directory or database, reads them and compares them; prints how long each took.
import { compare } from '@jurist/experiment/compare'
import { openStore } from './open-store.mjs'

const [place] = process.argv.slice(2)
const store = openStore(place)
const began = performance.now()
const ids = []
for await (const { id } of store.list({ experimentName: 'large', order: 'oldest' })) ids.push(id)
const listed = performance.now()
const [baseline, candidate] = [await store.overview(ids[0]), await store.overview(ids[1])]
const read = performance.now()
const { items, conclusion } = compare(baseline, candidate)
const compared = performance.now()
if (items.length !== 50_000 || conclusion !== 'improved') throw new Error(`${items.length} items, ${conclusion}`)
const maxBytes = process.resourceUsage().maxRSS * 1024
console.log(JSON.stringify({ listMs: listed - began, readMs: read - listed, compareMs: compared - read, maxBytes }))
await store[Symbol.asyncDispose]()
