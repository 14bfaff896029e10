// A scripted agent: it follows the rules of its prompt, word by word. A real one would give them to a model.
import { readFileSync } from 'node:fs'

const rules = readFileSync(new URL('prompts/rules.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.includes(': '))
  .map((line) => [line.slice(0, line.lastIndexOf(': ')), line.slice(line.lastIndexOf(': ') + 2).trim()])

export async function clerk({ prompt }) {
  const [, label = 'other'] = rules.find(([words]) => prompt.includes(words)) ?? []
  return { status: 'completed', output: { type: 'text', text: label } }
}
