// A whole run in a separate process: rows of a JSONL file, an agent that waits, one trivial judge, a file store.
// node run-items.mjs ROWS STORE CONCURRENCY LATENCY_MS
import { setTimeout } from 'node:timers/promises'
import { runExperiment } from '@jurist/experiment'

const [dataset, store, concurrency, latencyMs] = process.argv.slice(2)
const answer = { status: 'completed', output: { type: 'text', text: 'done' } }

const run = runExperiment({
  name: 'trivial',
  dataset,
  agent: () => setTimeout(Number(latencyMs), answer),
  jury: ({ agentOutput }) => agentOutput?.type === 'text',
  store,
  concurrency: Number(concurrency),
})
const { passCount } = await run.result
console.log(JSON.stringify({ passCount }))
