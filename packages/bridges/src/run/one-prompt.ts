import type { JudgeModelRequest, ModelMessage } from '@jurist/core/llm'
import { withSchema } from './structured.js'

const headings: { readonly [role in ModelMessage['role']]: string } = {
  system: 'System',
  user: 'User',
  assistant: 'Assistant',
}

/**
 * The messages of a request as one prompt, for agents, which take only one: a single message as it is, several under
 * headings of their roles.
 *
 * @param schemaInPrompt whether a schema of the answer is put into the prompt. Default true
 *
 * @example
 * onePrompt(userRequest('Say hello.')) // 'Say hello.'
 */
export function onePrompt({ messages, options }: JudgeModelRequest, schemaInPrompt = true): string {
  const { responseSchema } = options
  const all = responseSchema === undefined || !schemaInPrompt ? messages : withSchema(messages, responseSchema)
  const [only, ...more] = all
  if (only === undefined || more.length === 0) return only?.content ?? ''
  return all.map(({ role, content }) => `# ${headings[role]}\n\n${content}`).join('\n\n')
}
