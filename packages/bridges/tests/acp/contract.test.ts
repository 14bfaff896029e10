import { fileURLToPath } from 'node:url'
import { acpAgent } from '@jurist/bridges/acp'
import { emptyDirectory } from '@jurist/workspace'
import { describe, test } from 'vitest'
import { agentBridgeContract } from '../../testing/index.js'

const program = fileURLToPath(new URL('../fixtures/acp-agent.mjs', import.meta.url))

agentBridgeContract(
  { describe, test },
  'acp',
  ({ server, environment, permissions, maxTurns }) =>
    acpAgent({
      command: [process.execPath, program],
      permissions,
      graceMs: 1_000,
      environment: {
        ...environment,
        set: { ...environment.set, ANTHROPIC_BASE_URL: server.url, MAX_TURNS: String(maxTurns) },
      },
    }),
  { usage: true, cost: false, tools: true, maxTurns: true, workspace: () => emptyDirectory() },
)
