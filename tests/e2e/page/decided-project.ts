/** Agents of which one is mostly wrong. While there is a file `slow`, each waits at the fifteenth item that it begins. */
export const decidedConfig = `import { existsSync } from 'node:fs'
import { outputText } from 'jurist'
const agent = (bad) => {
  let begun = 0
  return async ({ prompt, signal }) => {
    begun += 1
    while (begun === 15 && existsSync('slow') && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, 20))
    return { status: 'completed', output: (Number(prompt) * 7919) % 100 < bad ? 'wrong' : 'right' }
  }
}
export default {
  experiments: {
    sums: {
      dataset: Array.from({ length: 100 }, (_, place) => ({ id: 'q' + place, task: String(place) })),
      jury: outputText({ equals: 'right' }),
      concurrency: 1,
      variants: { idle: { agent: agent(60) }, candidate: { agent: agent(20) } },
    },
  },
}
`
