import { claudeAgent, claudeCommand } from '@jurist/bridges/claude-agent'
import { emptyDirectory } from '@jurist/workspace'
import type { AgentSetting } from '../../packages/bridges/testing/index.js'
import { imported, program, realAgentTests } from './kit/real-agent.js'

const can = { usage: true, cost: true, tools: true, maxTurns: true, workspace: () => emptyDirectory() }

const environmentFor = ({ server, environment }: AgentSetting) => ({
  ...environment,
  set: {
    ...environment.set,
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'sk-dummy-of-the-test',
    CLAUDE_CODE_MAX_RETRIES: '1',
  },
})

const sdk = '@anthropic-ai/claude-agent-sdk'
realAgentTests('the Claude Agent SDK', {
  name: sdk,
  make: async (setting) => {
    const { query } = await imported<{ readonly query: Parameters<typeof claudeAgent>[0]['query'] }>(sdk)
    const { permissions, maxTurns } = setting
    return claudeAgent({ query, permissions, options: { maxTurns }, environment: environmentFor(setting) })
  },
  can,
})

const code = '@anthropic-ai/claude-code'
realAgentTests('claude -p', {
  name: code,
  make: (setting) => {
    const { permissions, maxTurns } = setting
    return claudeCommand({
      command: [program(code, 'claude')],
      permissions,
      maxTurns,
      environment: environmentFor(setting),
    })
  },
  can,
})
