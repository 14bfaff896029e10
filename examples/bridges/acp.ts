import { fileURLToPath } from 'node:url'
import { acpAgent } from '@jurist/bridges/acp'
import { evaluateAgent } from '@jurist/bridges/agent'
import { type Judgment, outputText } from '@jurist/core'
import { emptyDirectory } from '@jurist/workspace'

/** Stands for `claude-agent-acp`, `codex-acp`, `opencode acp` or any other agent that speaks the protocol. */
const program = fileURLToPath(new URL('../../packages/bridges/tests/fixtures/acp-agent.mjs', import.meta.url))

/** An agent that speaks the Agent Client Protocol; what it may not do is refused without asking anybody. */
export async function main(url: string): Promise<Judgment> {
  await using workspace = await emptyDirectory()
  const agent = acpAgent({
    command: [process.execPath, program],
    permissions: 'read-only',
    environment: { set: { ANTHROPIC_BASE_URL: url } }, // else: allow: ['ANTHROPIC_API_KEY']
  })
  return await evaluateAgent(agent, outputText({ contains: 'Paris' }), {
    goal: 'What is the capital of France?',
    workspace,
    timeoutMs: 60_000,
  })
}
