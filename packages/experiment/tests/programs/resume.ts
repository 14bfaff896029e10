// Tries to become the writer of a run at a given moment; says whether it is, and stays until it is killed.
import { writeSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { fileStore } from '@jurist/experiment/store'

const [directory = '', runId = '', at = '0'] = process.argv.slice(2)
const store = fileStore(directory, { onWarning: () => {} })
await setTimeout(Math.max(0, Number(at) - Date.now()))
const outcome = await store.resume(runId).then(
  () => 'won',
  (thrown: { readonly code?: string }) => thrown.code ?? String(thrown),
)
writeSync(1, `${outcome}\n`)
await setTimeout(60_000)
