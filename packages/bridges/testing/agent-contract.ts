import type { Agent } from '@jurist/core'
import type { TestHarness } from '@jurist/core/testing'
import { journalTests, stopTests, troubleTests } from './agent-failures.js'
import type { AgentAbilities, AgentSetting } from './agent-under-test.js'
import { environmentTests, usageTests, workTests } from './agent-work.js'

/**
 * What every bridge to a coding agent must keep, proved with a real or a scripted agent that edits a real workspace and
 * asks a scripted model: it works, keeps its permissions, sees only what it is given, can be stopped with everything it
 * started, tells failures apart, writes a journal, and counts what it was charged.
 *
 * @example
 * agentBridgeContract({ describe, test }, 'my agent', ({ server, environment }) => myAgent({ url: server.url, environment }), {
 *   usage: true, cost: false, tools: true, workspace: () => emptyDirectory(),
 * })
 */
export function agentBridgeContract(
  harness: TestHarness,
  name: string,
  make: (setting: AgentSetting) => Agent | Promise<Agent>,
  can: AgentAbilities,
): void {
  const subject = { make, can }
  harness.describe(`${name} keeps the contract of agent bridges`, () => {
    workTests(harness, subject)
    environmentTests(harness, subject)
    stopTests(harness, subject)
    troubleTests(harness, subject)
    journalTests(harness, subject)
    usageTests(harness, subject)
  })
}
