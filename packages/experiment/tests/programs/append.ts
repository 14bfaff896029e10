// Goes on with a run and appends trials, fifty at a time, saying each one when it is acknowledged. Until it is killed.
import { writeSync } from 'node:fs'
import { fileStore } from '@jurist/experiment/store'
import { anItem } from '@jurist/experiment/testing'

const [directory = '', runId = ''] = process.argv.slice(2)
const { items, writer } = await fileStore(directory, { onWarning: () => {} }).resume(runId)
let next = items.reduce((most, { itemId }) => Math.max(most, Number(itemId)), 0) + 1

async function appendForEver(): Promise<never> {
  for (;;) {
    const itemId = String(next++)
    await writer.append(anItem({ itemId, task: 'x'.repeat(Number(itemId) % 5_000) }))
    writeSync(1, `${itemId}\n`)
  }
}

await Promise.all(Array.from({ length: 50 }, appendForEver))
