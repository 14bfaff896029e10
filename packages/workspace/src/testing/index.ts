/**
 * For tests of your own judges, agents and sandboxes: a real directory for the time of a test, simulated commands, and
 * the contract of every sandbox. Works with any test runner.
 */
import '../errors.js'

export { type SandboxContractSetup, sandboxContract } from './sandbox-contract.js'
export { fakeCommands, type TemporaryFile, temporaryWorkspace } from './temporary-workspace.js'
