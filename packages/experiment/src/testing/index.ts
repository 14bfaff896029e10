/**
 * Records, agents and contracts for tests, which need no runner of their own.
 */
import '../errors.js'

export { type AgentContractSetup, agentContract } from './agent-contract.js'
export { type DatasetContractSetup, datasetContract } from './dataset-contract.js'
export { anItem, aResult } from './records.js'
export { type ResultStoreContractSetup, resultStoreContract } from './result-store-contract.js'
export { type ScriptedStep, scriptedAgent } from './scripted-agent.js'
