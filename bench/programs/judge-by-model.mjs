// Many judgments by a model over HTTP, or the same calls bare. Prints processor and wall time, without start-up.
// node judge-by-model.mjs bare|judged|bridged PORT COUNT CONCURRENCY
import { openAiCompatibleModel } from '@jurist/bridges/openai-compatible'
import { judgmentContext, runJudge } from '@jurist/core'
import { hallucination } from '@jurist/core/rag'

const [how, port, count, concurrency] = process.argv.slice(2)
const baseUrl = `http://127.0.0.1:${port}/v1`
const headers = { 'content-type': 'application/json' }

/** A model in a few lines. */
const plain = async ({ messages, signal }) => {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers,
    signal,
    body: JSON.stringify({ messages }),
  })
  const { choices, usage, model: name } = await response.json()
  const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = usage
  return { text: choices[0].message.content, model: name, usage: { inputTokens, outputTokens } }
}

const page = 'The kettle boils one litre of water in 2 minutes 40 seconds and half a litre in 1 minute 30 seconds. '
const context = judgmentContext({
  goal: 'How long does one litre need?',
  referenceData: [page.repeat(10)],
  agentOutput: 'One litre boils in 2 minutes 40 seconds.',
})

const model = how === 'bridged' ? openAiCompatibleModel({ baseUrl, model: 'loopback' }) : plain
const judge = hallucination({ model })

/** What the judge sends, so that the bare calls send as much. */
async function messagesOf(context) {
  const sent = []
  const listening = async ({ messages }) => {
    sent.push(...messages)
    return { text: '' }
  }
  await runJudge(hallucination({ model: listening }), context)
  return sent
}
const messages = await messagesOf(context)

const bare = async () => (await plain({ messages, signal: new AbortController().signal })).text.includes('YES')
const judged = async () => (await runJudge(judge, context)).status === 'pass'
const once = how === 'bare' ? bare : judged

/** Makes so many calls, so many of them concurrently. */
async function all(calls) {
  let left = calls
  let passed = 0
  const work = async () => {
    while (left-- > 0) if (await once()) passed += 1
  }
  await Promise.all(Array.from({ length: Number(concurrency) }, work))
  if (passed !== calls) throw new Error(`${passed} of ${calls} judgments passed`)
}

// Connections are opened and code is compiled before the clock runs.
await all(500)
const cpu = process.cpuUsage()
const startedAt = performance.now()
await all(Number(count))
const elapsedMs = performance.now() - startedAt
const { user, system } = process.cpuUsage(cpu)
console.log(JSON.stringify({ cpuMs: (user + system) / 1000, elapsedMs }))
