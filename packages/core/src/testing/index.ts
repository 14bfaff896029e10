/**
 * For tests of custom judges, votes and workspaces: a workspace in memory, a context, and the contracts that the
 * built-in ones keep. Works with any test runner.
 */
export {
  type JudgeContractSetup,
  judgeContract,
  type TestHarness,
  voteContract,
  type WorkspaceContractSetup,
  workspaceContract,
} from './contracts.js'
export { aContext, type MemoryWorkspaceOptions, memoryWorkspace } from './memory-workspace.js'
export { type ScriptedModel, type ScriptedReply, scriptedModel } from './scripted-model.js'
