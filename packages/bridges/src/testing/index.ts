/**
 * For tests of bridges and of what uses them: a model server on the loopback that answers by a script, and the contracts
 * that every bridge keeps. Needs no test runner of its own.
 */
import '../errors.js'

export { agentBridgeContract } from './agent-contract.js'
export { type AgentStep, agentScript } from './agent-script.js'
export type { AgentAbilities, AgentSetting, AgentWorkspace } from './agent-under-test.js'
export { contextBridgeContract } from './context-contract.js'
export type { ContextBridge } from './context-under-test.js'
export { modelBridgeContract } from './model-contract.js'
export type { ModelAbilities } from './model-under-test.js'
export { type ScriptedServer, scriptedServer } from './scripted-server.js'
export {
  type ScriptedLogprob,
  type ScriptedRequest,
  type ScriptedTool,
  type ScriptedTurn,
  scriptedUsage,
  type UnexpectedRequest,
} from './scripted-turn.js'
