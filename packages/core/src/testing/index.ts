/**
 * For tests of judges, votes and workspaces of one's own: a workspace in memory, a context, and the contracts that the
 * built-in ones keep. Needs no test runner of its own.
 */
export { aContext } from './a-context.js'
export type { TestHarness } from './harness.js'
export { type JudgeContractSetup, judgeContract } from './judge-contract.js'
export { type MemoryWorkspaceOptions, memoryWorkspace } from './memory-workspace.js'
export { type ScriptedModel, type ScriptedReply, scriptedModel } from './scripted-model.js'
export { voteContract } from './vote-contract.js'
export { type WorkspaceContractSetup, workspaceContract } from './workspace-contract.js'
