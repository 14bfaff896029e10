import type { Agent } from '@jurist/core'
import type { TestHarness } from '@jurist/core/testing'
import { stopTests, troubleTests } from './agent-failures.js'
import type { AgentAbilities, AgentSetting } from './agent-under-test.js'
import { promptTests, workTests } from './agent-work.js'

/**
 * Tests that a bridge to a coding agent keeps the contract of bridges, with a real or a scripted agent that edits a
 * real workspace and asks a scripted model: it works, keeps its permissions, sees only what it is given, can be stopped
 * with everything it started, distinguishes failures, writes a journal, and reports the usage that the model charged.
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
    stopTests(harness, subject)
    troubleTests(harness, subject)
    promptTests(harness, subject)
  })
}
