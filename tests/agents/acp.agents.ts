import { acpAgent } from '@jurist/bridges/acp'
import { emptyDirectory } from '@jurist/workspace'
import { program, realAgentTests } from './kit/real-agent.js'

const name = '@agentclientprotocol/claude-agent-acp'
realAgentTests('Claude over ACP', {
  name,
  make: ({ server, environment, permissions }) =>
    acpAgent({
      command: [program(name, 'claude-agent-acp')],
      permissions,
      environment: {
        ...environment,
        set: {
          ...environment.set,
          ANTHROPIC_BASE_URL: server.url,
          ANTHROPIC_API_KEY: 'sk-dummy-of-the-test',
          CLAUDE_CODE_MAX_RETRIES: '1',
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          DISABLE_AUTOUPDATER: '1',
          IS_SANDBOX: '1',
        },
      },
    }),
  can: { usage: true, cost: true, tools: true, workspace: () => emptyDirectory() },
})
