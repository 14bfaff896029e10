import { acpAgent } from '@jurist/bridges/acp'
import { claudeAgent, claudeCommand } from '@jurist/bridges/claude-agent'
import { codexAgent, codexCommand } from '@jurist/bridges/codex'
import { mcpFixture } from '@jurist/bridges/mcp'
import type { Agent, JournalEvent } from '@jurist/core'
import { emptyDirectory } from '@jurist/workspace'
import { expect, test } from 'vitest'
import { type ScriptedServer, scriptedServer } from '../../packages/bridges/testing/index.js'
import { codexConfigFor } from './kit/codex-config.js'
import { isInstalled } from './kit/install.js'
import { selected } from './kit/packages.js'
import { imported, program } from './kit/real-agent.js'

const shop = mcpFixture({
  name: 'shop',
  state: { cancelled: [] as readonly string[] },
  faults: [{ tool: 'cancel_order', nth: 1, error: 'The service is down.' }],
  tools: {
    cancel_order: {
      description: 'Cancels an order.',
      input: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
      run: ({ order }, { cancelled }) => ({ result: 'done', state: { cancelled: [...cancelled, String(order)] } }),
    },
  },
})

/** A model that calls the tool twice, whatever the agent calls it, and then says so. */
function cancelling() {
  return scriptedServer(({ tools, body }) => {
    const tool = tools.find((name) => name.startsWith('mcp__shop'))
    if (tool === undefined) return { text: 'There is no such tool.' }
    const results = JSON.stringify(body).match(/"(tool_result|function_call_output)"/g) ?? []
    if (results.length >= 2) return { text: 'Order A-1 is cancelled.' }
    // Codex offers the tools of a server as a group.
    const call = tool === 'mcp__shop' ? { name: 'cancel_order', namespace: tool } : { name: tool }
    return { tools: [{ ...call, input: { order: 'A-1' } }] }
  })
}

const claudeEnvironment = ({ url }: ScriptedServer) => ({
  set: {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-dummy-of-the-test',
    CLAUDE_CODE_MAX_RETRIES: '1',
    // Else it offers the names only, and the scripted model would have to search for the tools first.
    ENABLE_TOOL_SEARCH: 'false',
  },
})
const codexKey = 'dummy-key-of-the-test'

interface CodexSdk {
  readonly Codex: new (options: object) => ReturnType<Parameters<typeof codexAgent>[0]['codex']>
}

const overAcp = '@agentclientprotocol/claude-agent-acp'

const agents: { readonly [name: string]: (server: ScriptedServer) => Agent } = {
  '@anthropic-ai/claude-code': (server) =>
    shop.agent(async (tools) =>
      claudeCommand({
        command: [program('@anthropic-ai/claude-code', 'claude')],
        arguments: (await tools.server()).claude,
        environment: claudeEnvironment(server),
      }),
    ),
  '@anthropic-ai/claude-agent-sdk': (server) =>
    shop.agent(async (tools) => {
      const { query } = await imported<{ readonly query: Parameters<typeof claudeAgent>[0]['query'] }>(
        '@anthropic-ai/claude-agent-sdk',
      )
      const { mcpServers } = await tools.server({ runs: 'host' })
      const options = { mcpServers, allowedTools: ['mcp__shop'] }
      return claudeAgent({ query, options, environment: claudeEnvironment(server) })
    }),
  '@openai/codex': (server) =>
    shop.agent(async (tools) =>
      codexCommand({
        command: [program('@openai/codex', 'codex')],
        config: { ...codexConfigFor(server), ...(await tools.server()).codex },
        model: 'scripted',
        environment: { set: { CODEX_API_KEY: codexKey } },
      }),
    ),
  [overAcp]: (server) =>
    shop.agent(async (tools) =>
      acpAgent({
        command: [program(overAcp, 'claude-agent-acp')],
        mcpServers: (await tools.server({ runs: 'host' })).mcpServers,
        environment: { set: { ...claudeEnvironment(server).set, IS_SANDBOX: '1' } },
      }),
    ),
  '@openai/codex-sdk': (server) =>
    shop.agent(async (tools) => {
      const { Codex } = await imported<CodexSdk>('@openai/codex-sdk')
      const config = { ...codexConfigFor(server), ...(await tools.server({ runs: 'host' })).codex }
      return codexAgent({ codex: (env) => new Codex({ env, apiKey: codexKey, config }), thread: { model: 'scripted' } })
    }),
}

for (const [name, make] of Object.entries(agents))
  test.skipIf(!selected().includes(name) || !isInstalled(name))(`${name} calls the tools of a fixture`, async () => {
    await using workspace = await emptyDirectory()
    await using server = await cancelling()
    const events: JournalEvent[] = []
    const record = (event: JournalEvent) => events.push(event)
    const task = { prompt: 'Cancel the order A-1.', workspace, signal: AbortSignal.timeout(100_000), record }
    const invocation = await make(server)(task)
    expect(invocation, JSON.stringify(invocation.failure)).toMatchObject({
      status: 'completed',
      output: { text: 'Order A-1 is cancelled.' },
      metadata: { 'mcp.state': { cancelled: ['A-1'] } },
    })
    const { metadata = {} } = invocation
    expect(metadata[`${metadata['bridge']}.toolExecutions`]).toMatchObject([
      { name: 'cancel_order', status: 'failed', output: 'The service is down.' },
      { name: 'cancel_order', status: 'completed', output: 'done' },
    ])
    expect(events.filter(({ type }) => type === 'tool-call')).toHaveLength(2)
  })
