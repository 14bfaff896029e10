import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Agent } from '@jurist/core'
import { describe, test } from 'vitest'
import { type AgentAbilities, type AgentSetting, agentBridgeContract } from '../../../packages/bridges/testing/index.js'
import { directoryOf, isInstalled } from './install.js'
import { selected } from './packages.js'
import { repairTest } from './repair.js'

/** How a real agent is made. */
export interface RealAgent {
  /** The package that brings it. */
  readonly name: string
  readonly make: (setting: AgentSetting) => Agent | Promise<Agent>
  readonly can: AgentAbilities
}

/** The contract of agent bridges and a repair, by a real agent; skipped where it is not installed. */
export function realAgentTests(title: string, { name, make, can }: RealAgent): void {
  const reason = selected().includes(name) ? `${name} is not installed` : 'JURIST_AGENTS does not name it'
  const isThere = selected().includes(name) && isInstalled(name)
  test.skipIf(!isThere)(isThere ? `${name} is installed` : reason, () => {})
  if (!isThere) return
  describe(title, () => repairTest(make, can))
  agentBridgeContract({ describe, test }, title, make, can)
}

/** What an installed package exports. */
export async function imported<Module>(name: string): Promise<Module> {
  const directory = join(directoryOf(name), 'node_modules', name)
  const { exports, main } = createRequire(import.meta.url)(join(directory, 'package.json'))
  const entry = exports?.['.']?.import ?? exports?.['.']?.default ?? exports?.['.'] ?? main
  return import(pathToFileURL(join(directory, entry.default ?? entry)).href) as Promise<Module>
}

/** A program that an installed package brings. */
export function program(name: string, command: string): string {
  return join(directoryOf(name), 'node_modules', '.bin', command)
}
