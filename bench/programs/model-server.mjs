// A model on the loopback: answers chat completions with a verdict, after a while. Prints its port, ends with its stdin.
// node model-server.mjs LATENCY_MS
import { createServer } from 'node:http'

const latencyMs = Number(process.argv[2])
const body = JSON.stringify({
  model: 'loopback',
  choices: [{ message: { role: 'assistant', content: 'Reasoning: every claim is there.\nAnswer: YES' } }],
  usage: { prompt_tokens: 200, completion_tokens: 12, total_tokens: 212 },
})

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () =>
    setTimeout(() => response.writeHead(200, { 'content-type': 'application/json' }).end(body), latencyMs),
  )
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
process.stdin.on('end', () => process.exit()).resume()
