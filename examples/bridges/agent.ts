import { evaluateAgent, runFacts } from '@jurist/bridges/agent'
import { aiSdkAgent } from '@jurist/bridges/ai-sdk'
import { abstain, fileExists, type Judge, jury, type Verdict } from '@jurist/core'
import { memoryWorkspace } from '@jurist/core/testing'

/** A judge that reads the facts of any bridge. */
const short: Judge = ({ metadata }) => {
  const { turns } = runFacts(metadata) ?? {}
  return turns === undefined ? abstain('the turns are not known') : turns <= 3
}

/** An agent works in a workspace, and a jury looks at what it left. */
export function main(url: string): Promise<Verdict> {
  const agent = aiSdkAgent(async ({ workspace, signal }) => {
    const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{}', signal })
    await workspace.write('answer.json', await response.text())
    return { text: 'I wrote answer.json', finishReason: 'stop' }
  })
  return evaluateAgent(agent, jury({ judges: { file: fileExists('answer.json'), short } }), {
    goal: 'What is the capital of France? Write it to answer.json',
    workspace: memoryWorkspace(), // or a directory, such as './project'
    timeoutMs: 60_000,
  })
}
