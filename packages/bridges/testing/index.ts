/**
 * For this repository's tests: a model server on the loopback interface that answers by a script, and the contracts that all
 * bridges satisfy.
 */
import '../src/errors.js'

export { agentBridgeContract } from './agent-contract.js'
export { type AgentStep, agentScript } from './agent-script.js'
export type { AgentAbilities, AgentSetting } from './agent-under-test.js'
export type { ContextBridge } from './context-contract.js'
export { contextBridgeContract } from './context-contract.js'
export { modelBridgeContract } from './model-contract.js'
export type { ModelAbilities } from './model-under-test.js'
export { type ScriptedServer, scriptedServer } from './scripted-server.js'
export { type ScriptedTurn, scriptedUsage } from './scripted-turn.js'
