import { join } from 'node:path'
import { claudeCommand } from '@jurist/bridges/claude-agent'
import { codexCommand } from '@jurist/bridges/codex'
import { bubblewrapSandbox, emptyDirectory, type NetworkAttempt } from '@jurist/workspace'
import { describe, expect, test } from 'vitest'
import { scriptedServer } from '../../packages/bridges/testing/index.js'
import { root } from '../structure/source.js'
import { codexConfigFor } from './kit/codex-config.js'
import { directoryOf, isInstalled } from './kit/install.js'
import { selected } from './kit/packages.js'
import { program, type RealAgent } from './kit/real-agent.js'
import { repairTest } from './kit/repair.js'

const hasLists = await bubblewrapSandbox({ network: { allow: [] } })
  .probe()
  .then(() => true)
  .catch(() => false)
const [claude, codex] = ['@anthropic-ai/claude-code', '@openai/codex']
const can = { usage: true, cost: true, tools: true, workspace: () => emptyDirectory() }

const agents: readonly RealAgent[] = [
  {
    name: claude,
    can,
    make: ({ server, permissions, maxTurns }) =>
      claudeCommand({
        command: [program(claude, 'claude')],
        permissions,
        maxTurns,
        environment: {
          set: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-dummy', CLAUDE_CODE_MAX_RETRIES: '1' },
        },
      }),
  },
  {
    name: codex,
    can,
    // The sandbox of the workspace isolates it: a second one does not start inside.
    make: ({ server }) =>
      codexCommand({
        command: [program(codex, 'codex')],
        config: codexConfigFor(server),
        permissions: 'full',
        model: 'scripted',
        environment: { set: { CODEX_API_KEY: 'dummy' } },
      }),
  },
]

describe.each(agents)('$name behind an allow-list', ({ name, make }) => {
  const isThere = hasLists && selected().includes(name) && isInstalled(name)
  test.skipIf(!isThere)('bubblewrap and the agent are there', () => {})
  if (!isThere) return
  // The jury runs its own tests beside the workspace.
  const readable = [directoryOf(name), join(root, 'examples/repair/harness')]
  const sandbox = (allow: readonly string[]) => bubblewrapSandbox({ network: { allow }, readable })
  const attempts: NetworkAttempt[] = []
  const onNetwork = (attempt: NetworkAttempt) => attempts.push(attempt)
  repairTest(make, can, { sandbox: (port) => sandbox([`localhost:${port}`]), onNetwork })
  test('has asked its model, and reached nothing else', () => {
    const allowed = attempts.filter(({ outcome }) => outcome === 'allowed')
    expect(allowed.length).toBeGreaterThan(0)
    expect(new Set(allowed.map(({ host }) => host))).toEqual(new Set(['localhost']))
  })
  test('fails without its model', async () => {
    await using server = await scriptedServer(() => ({ text: 'Hello.' }))
    await using workspace = await emptyDirectory({ sandbox: sandbox([]) })
    const agent = await make({ server, environment: {}, permissions: 'workspace', maxTurns: 2 })
    const { status, failure } = await agent({ prompt: 'Say hello.', workspace, signal: AbortSignal.timeout(30_000) })
    // Codex asks again until its time is over.
    expect(['error', 'timeout'], JSON.stringify(failure)).toContain(status)
  })
})
