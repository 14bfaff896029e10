import { fileURLToPath } from 'node:url'
import { evaluateAgent } from '@jurist/bridges/agent'
import { claudeCommand } from '@jurist/bridges/claude-agent'
import { type Judgment, outputText } from '@jurist/core'
import { emptyDirectory } from '@jurist/workspace'

/** Stands for Claude Code: leave "command" out, and `claude` is called. */
const program = fileURLToPath(new URL('../../packages/bridges/tests/fixtures/claude.mjs', import.meta.url))

/** Claude Code works in a workspace. With the SDK: claudeAgent({ query }), `query` of @anthropic-ai/claude-agent-sdk. */
export async function main(url: string): Promise<Judgment> {
  await using workspace = await emptyDirectory()
  const agent = claudeCommand({
    command: [process.execPath, program],
    maxTurns: 10,
    environment: { set: { ANTHROPIC_BASE_URL: url } }, // else: allow: ['ANTHROPIC_API_KEY']
  })
  return await evaluateAgent(agent, outputText({ contains: 'Paris' }), {
    goal: 'What is the capital of France?',
    workspace,
    timeoutMs: 60_000,
  })
}
