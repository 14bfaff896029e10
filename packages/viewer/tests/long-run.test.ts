import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail, pass, verdictFromJson } from '@jurist/core'
import { fileStore, memoryStore } from '@jurist/experiment/store'
import { anItem, aResult } from '@jurist/experiment/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Viewer, viewer } from '../src/viewer.js'

const megabyte = 'long '.repeat(2e5)
const items = Array.from({ length: 36 }, (_, index) => {
  const passed = index % 3 === 0
  const aggregated = passed ? pass(`reason ${index}`) : fail(`reason ${index}`)
  const seats = { individual: { tests: aggregated }, weights: { tests: 1 }, subVerdicts: {} }
  return anItem({
    itemId: `item-${index >> 1}`,
    repetition: 1 + (index % 2),
    bucket: index % 2 === 0 ? 'even' : 'odd',
    passed,
    judged: passed ? 'pass' : 'fail',
    verdict: verdictFromJson({ aggregated, ...seats, usage: {}, elapsedMs: 1 }),
    scores: { tests: Number(passed) },
    task: `${index} ${megabyte}`,
  })
})
const run = aResult({ items, planned: 36 })

let results = ''
let long: Viewer
let short: Viewer

beforeAll(async () => {
  results = await mkdtemp(join(tmpdir(), 'jurist-viewer-'))
  const [files, memory] = [fileStore(results, { sync: false }), memoryStore()]
  await files.save(run)
  await memory.save(run)
  const overview = await files.overview(run.id)
  expect(overview?.trials.some((trial) => 'verdict' in trial)).toBe(false)
  long = viewer(files)
  short = viewer(memory)
})
afterAll(async () => {
  await rm(results, { recursive: true, force: true })
})

async function answer(page: Viewer, path: string): Promise<unknown> {
  return (await page(new Request(`http://localhost/api/${path}`))).json()
}

// What is shown of a run must not depend on whether its store reads the index or the items.
test.each([
  `runs/${run.id}`,
  `runs/${run.id}/items?limit=7&offset=3`,
  `runs/${run.id}/items?outcome=fail&sort=score:tests&order=desc`,
  `runs/${run.id}/items?bucket=odd&sort=item`,
  `runs/${run.id}/items?q=reason+21`,
  `runs/${run.id}/items/item-4/2`,
  `runs/${run.id}/items/item-4/3`,
  `runs/${run.id}/items/item-99/1`,
])('%s', async (path) => {
  expect(await answer(long, path)).toEqual(await answer(short, path))
})

test('a search finds the same trials, whatever characters the words have', async () => {
  const texts = fc.sample(fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.lorem()), { numRuns: 60, seed: 7 })
  texts.push('ΟΔΟΣ "x"', 'İstanbul\n\u001b[31m', 'C:\\new\\table', '\ud800 alone')
  const searched = aResult({
    items: texts.map((text, index) => anItem({ itemId: `item-${index}`, task: `The task: ${text}` })),
  })
  await fileStore(results, { sync: false }).save(searched)
  const memory = memoryStore()
  await memory.save(searched)
  const [files, whole] = [viewer(fileStore(results)), viewer(memory)]
  const words = texts.flatMap((text) => [text.slice(0, 6), text.slice(2, 5).toUpperCase(), `${text}${text}`])
  for (const q of [...words, 'reasoning', 'null', '"', '\\', '\n', 'pass']) {
    const path = `runs/${searched.id}/items?${new URLSearchParams({ q })}`
    expect([q, await answer(files, path)]).toEqual([q, await answer(whole, path)])
  }
})
