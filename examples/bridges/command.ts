import { evaluateAgent } from '@jurist/bridges/agent'
import { commandAgent } from '@jurist/bridges/command'
import { fileContent, type Judgment } from '@jurist/core'
import { emptyDirectory } from '@jurist/workspace'

/** Any program is an agent; what it left in the workspace is judged. */
export async function main(): Promise<Judgment> {
  const program = `require('node:fs').writeFileSync('answer.txt', process.argv[1].toUpperCase())`
  const agent = commandAgent({ command: [process.execPath, '-e', program, '--', '{{prompt}}'] })
  await using workspace = await emptyDirectory()
  return await evaluateAgent(agent, fileContent('answer.txt', { equals: 'PARIS' }), { goal: 'paris', workspace })
}
