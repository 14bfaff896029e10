import type { Agent, WritableWorkspace } from '@jurist/core'
import { explain } from '@jurist/core'
import { judged } from '@jurist/experiment'
import { emptyDirectory } from '@jurist/workspace'
import { rules } from './rules.js'
import { writingAgent } from './writing-agent.js'

/** A stand-in for what publishes a workspace. */
async function deploy(workspace: WritableWorkspace): Promise<string> {
  return `deployed ${(await workspace.read('RELEASE.md')).split('\n').length - 1} lines`
}

/** A quality gate: nothing is deployed that did not pass. */
async function deployWhenGood(agent: Agent, prompt: string): Promise<string> {
  await using workspace = await emptyDirectory()
  const { passed, verdict } = await judged(agent, rules)({ prompt, workspace })
  return passed ? deploy(workspace) : `not deployed: ${explain(verdict).split('\n')[0]}`
}

/** One prompt that leads to a complete note, one that does not, and an agent that breaks. */
export async function gate(): Promise<string> {
  const broken: Agent = async () => {
    throw new Error('no quota')
  }
  const outcomes = [
    await deployWhenGood(writingAgent, 'Write a release note for 2.0 with its changes.'),
    await deployWhenGood(writingAgent, 'Write a release note for 2.0.'),
    await deployWhenGood(broken, 'Write a release note for 2.0.'),
  ]
  return outcomes.map((outcome) => `gate: ${outcome}`).join('\n')
}
