/**
 * Records, agents and contracts for tests, which need no runner of their own.
 */
import '../errors.js'

export { agentContract } from './agent-contract.js'
export { datasetContract } from './dataset-contract.js'
export { anItem, aResult } from './records.js'
export { resultStoreContract } from './result-store-contract.js'
export { scriptedAgent } from './scripted-agent.js'
export { trialQueueContract } from './trial-queue-contract.js'
