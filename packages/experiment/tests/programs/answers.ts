// Asks a model through a cache or a cassette on disk, as one of several processes that do so at the same time.
import { cached, replay, userRequest, wrapModel } from '@jurist/core/llm'
import { cassetteFile, fileCache } from '@jurist/experiment/store'

const [kind, path = '', own = '', count = '0'] = process.argv.slice(2)
const through = kind === 'cache' ? cached(fileCache(path)) : replay(cassetteFile(path), { mode: 'auto' })
const model = wrapModel(async ({ messages }) => {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 4))
  return { text: `answer to ${messages[0]?.content}`, metadata: { long: 'x'.repeat(20_000), own } }
}, through)

for (let index = 0; index < Number(count); index += 1) {
  // Every other question is one that all processes ask.
  const question = index % 2 === 0 ? `question ${index}` : `question ${index} of ${own}`
  const { text } = await model(userRequest(question))
  if (text !== `answer to ${question}`) throw new Error(`${question} was answered with ${text}`)
}
