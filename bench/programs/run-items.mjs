// A whole run in a process of its own: rows of a JSONL file, a function agent, one trivial judge, a file store.
// node run-items.mjs ROWS STORE CONCURRENCY LATENCY_MS
import { runExperiment } from '@jurist/experiment'

const [dataset, store, concurrency, latencyMs] = process.argv.slice(2)
const wait = Number(latencyMs)
const answer = { status: 'completed', output: { type: 'text', text: 'done' } }

const run = runExperiment({
  name: 'trivial',
  dataset,
  agent: wait === 0 ? () => answer : () => new Promise((resolve) => setTimeout(resolve, wait, answer)),
  jury: ({ agentOutput }) => agentOutput?.type === 'text',
  store,
  concurrency: Number(concurrency),
})
const { passCount } = await run.result
console.log(JSON.stringify({ passCount, rssMb: process.resourceUsage().maxRSS / 1024 }))
