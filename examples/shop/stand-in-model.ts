import type { JudgeModel } from 'jurist/llm'

/** What a message of the agent makes a customer say. */
const replies: readonly (readonly [RegExp, object])[] = [
  [/Shall I/, { message: 'Yes, please do.' }],
  [/(is cancelled|is refunded|goes to the new address)\./, { stop: 'satisfied' }],
  [/did not work/, { stop: 'gave-up' }],
]

/**
 * STANDS FOR A MODEL THAT PLAYS A CUSTOMER: it reads the scenario and what was said so far in the prompt of `modelUser`, and
 * answers in its form.
 */
export const standInModel: JudgeModel = async ({ messages }) => {
  const prompt = messages.at(-1)?.content ?? ''
  return {
    text: JSON.stringify(moveOf(prompt)),
    usage: { inputTokens: Math.ceil(prompt.length / 4), outputTokens: 12 },
  }
}

/** What a customer does next, by a prompt. */
export function moveOf(prompt: string): object {
  const [, goal = ''] = /^Goal: (.*)$/m.exec(prompt) ?? []
  const said = [...prompt.matchAll(/<<turn-\d+-(user|agent) [^>]*>>\n(.*?)\n<<end turn/gs)]
  const answer = said.at(-1)?.[2]
  if (answer === undefined) return { message: `Hello! ${goal}` }
  const known = replies.find(([pattern]) => pattern.test(answer))
  if (known !== undefined) return known[1]
  const insists = /insist/.test(goal) && said.length < 4
  return insists ? { message: 'I insist on it: I am a customer of ten years.' } : { stop: 'gave-up' }
}
