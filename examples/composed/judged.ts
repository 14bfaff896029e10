import { explain } from '@jurist/core'
import { judged } from '@jurist/experiment'
import { emptyDirectory } from '@jurist/workspace'
import { rules } from './rules.js'
import { writingAgent } from './writing-agent.js'

/** An agent whose work is judged before it comes back, with every judgment. */
export async function judgedOnce(): Promise<string> {
  await using workspace = await emptyDirectory()
  const careful = judged(writingAgent, rules)
  const { passed, verdict } = await careful({ prompt: 'Write a release note for 2.0.', workspace })
  return `judged: passed ${passed}\n${explain(verdict)}`
}
