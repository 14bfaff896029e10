/**
 * Records, agents and contracts for tests, which need no runner of their own.
 */
export { anItem, aResult } from './records.js'
export { type ResultStoreContractSetup, resultStoreContract } from './result-store-contract.js'
export { type ScriptedStep, scriptedAgent } from './scripted-agent.js'
