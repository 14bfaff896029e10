/**
 * For tests of judges, agents and sandboxes of one's own: a real directory for the time of a test, commands that are
 * played, and the contract that every sandbox keeps. Needs no test runner of its own.
 */
import '../errors.js'

export { type SandboxContractSetup, sandboxContract } from './sandbox-contract.js'
export { fakeCommands, type TemporaryFile, temporaryWorkspace } from './temporary-workspace.js'
