// A whole run in a separate process: conversations with an agent and a user that wait, one trivial judge, a file store.
// node run-conversations.mjs STORE CONVERSATIONS TURNS CONCURRENCY LATENCY_MS
import { setTimeout } from 'node:timers/promises'
import { conversation } from '@jurist/core/conversation'
import { runExperiment } from '@jurist/experiment'

const [store, conversations, turns, concurrency, latencyMs] = process.argv.slice(2)
const wait = (answer) => setTimeout(Number(latencyMs), answer)

const run = runExperiment({
  name: 'conversations',
  dataset: Array.from({ length: Number(conversations) }, (_, index) => ({ id: `item-${index}`, task: 'talk' })),
  agent: conversation(({ message }) => wait(`You said: ${message}`), {
    user: (said) => wait({ message: `message ${said.length / 2 + 1}` }),
    maxTurns: Number(turns),
  }),
  jury: ({ turns: said }) => said.length === 2 * Number(turns),
  store,
  concurrency: Number(concurrency),
})
const { passCount } = await run.result
console.log(JSON.stringify({ passCount }))
