// Writes several runs of one experiment, one after the other, while others do the same.
import { fileStore } from '@jurist/experiment/store'
import { anItem, aResult } from '@jurist/experiment/testing'

const [directory = '', count = '1'] = process.argv.slice(2)
const store = fileStore(directory)
for (let run = 0; run < Number(count); run += 1) {
  const writer = await store.open(aResult({ planned: 20 }))
  await Promise.all(Array.from({ length: 20 }, (_, index) => writer.append(anItem({ itemId: `i${index}` }))))
  await writer.finish({ status: 'completed', stopReason: null, durationMs: 1 })
  await store.save(aResult())
  process.stdout.write(`${writer.runId}\n`)
}
