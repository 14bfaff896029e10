import { fileURLToPath } from 'node:url'
import { evaluateAgent } from '@jurist/bridges/agent'
import { codexCommand } from '@jurist/bridges/codex'
import { type Judgment, outputText } from '@jurist/core'
import { emptyDirectory } from '@jurist/workspace'

/** Stands for Codex: leave "command" out, and `codex` is called. */
const program = fileURLToPath(new URL('../../packages/bridges/tests/fixtures/codex.mjs', import.meta.url))

/** Codex works in a workspace. With the SDK: codexAgent({ codex: (env) => new Codex({ env, apiKey }) }). */
export async function main(url: string): Promise<Judgment> {
  await using workspace = await emptyDirectory()
  const agent = codexCommand({
    command: [process.execPath, program],
    prices: { 'gpt-5-codex': { inputPerMillion: 1.25, outputPerMillion: 10, cacheReadPerMillion: 0.125 } },
    model: 'gpt-5-codex',
    environment: { set: { ANTHROPIC_BASE_URL: url } }, // else: allow: ['CODEX_API_KEY']
  })
  return await evaluateAgent(agent, outputText({ contains: 'Paris' }), {
    goal: 'What is the capital of France?',
    workspace,
    timeoutMs: 60_000,
  })
}
