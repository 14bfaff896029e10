/**
 * For tests of judges, votes and workspaces of one's own: a workspace in memory, a context, and the contracts that the
 * built-in ones keep. Needs no test runner of its own.
 */
export { judgeContract, type TestHarness, voteContract } from './contracts.js'
export { aContext, memoryWorkspace } from './memory-workspace.js'
export { scriptedModel } from './scripted-model.js'
export { workspaceContract } from './workspace-contract.js'
