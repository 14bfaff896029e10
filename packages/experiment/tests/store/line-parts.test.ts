import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { RunOverview } from '../../src/result/trial-figures.js'
import { fileStore } from '../../src/store/index.js'
import { linePartsOf } from '../../src/store/stored-run.js'
import { anItem, aResult } from '../../src/testing/index.js'
import { temporaryDirectory } from '../run-support.js'

const items = [5, 900, 20, 3_000, 1, 7, 400, 2].map((length, index) =>
  anItem({ itemId: `item-${index}`, task: 'ä'.repeat(length) }),
)

async function storedRun(): Promise<{ readonly run: RunOverview; readonly file: string }> {
  const directory = temporaryDirectory()
  await using store = fileStore(directory)
  const run = aResult({ items, planned: items.length })
  await store.save(run)
  const overview = (await store.overview(run.id)) as RunOverview
  return { run: overview, file: join(directory, run.experimentName, run.id, 'items.jsonl') }
}

/** The ids of the lines, part by part; a part is read before the next one overwrites it. */
async function partsOf(run: RunOverview, places: readonly number[], partBytes: number) {
  const trials = places.flatMap((place) => run.trials[place] ?? [])
  const parts: string[][] = []
  for await (const { bytes, lines } of linePartsOf(run, trials, partBytes))
    parts.push(lines.map(({ offset, length }) => JSON.parse(bytes.toString('utf8', offset, offset + length)).itemId))
  return parts
}

it('lines of trials are read in any order, in parts of any size', async () => {
  const { run } = await storedRun()
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray([...items.keys()]),
      fc.integer({ min: 1, max: 20_000 }),
      async (places, most) => {
        const parts = await partsOf(run, places, most)
        expect(parts.flat()).toEqual(places.map((place) => `item-${place}`))
        if (most === 1) expect(parts).toHaveLength(places.length)
      },
    ),
    {
      examples: [
        [[...items.keys()], 1],
        [[7, 0, 3], 20_000],
      ],
    },
  )
})

it('a file that became shorter gives no bytes of another part', async () => {
  const { run, file } = await storedRun()
  const parts = linePartsOf(run, run.trials, 500)
  await parts.next()
  truncateSync(file, 100)
  await expect(parts.next()).rejects.toMatchObject({ code: 'store-failed' })
})
