import { fileURLToPath } from 'node:url'
import { commandAgent } from '@jurist/bridges/command'
import { emptyDirectory } from '@jurist/workspace'
import { describe, test } from 'vitest'
import { agentBridgeContract } from '../../testing/index.js'

const program = fileURLToPath(new URL('../fixtures/claude.mjs', import.meta.url))
const flags = {
  'read-only': ['--permission-mode', 'dontAsk'],
  workspace: ['--permission-mode', 'acceptEdits', '--allowedTools=Bash'],
  full: ['--permission-mode', 'bypassPermissions'],
}

agentBridgeContract(
  { describe, test },
  'commandAgent',
  ({ server, environment, permissions }) =>
    commandAgent({
      command: [process.execPath, program, '-p', ...flags[permissions]],
      promptThrough: 'stdin',
      read: 'json-lines',
      graceMs: 1_000,
      environment: { ...environment, set: { ...environment.set, ANTHROPIC_BASE_URL: server.url } },
    }),
  { usage: false, cost: false, tools: false, causes: false, workspace: () => emptyDirectory() },
)
