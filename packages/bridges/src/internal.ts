/** Shared by the packages of this repository. Not for users' programs: names change without notice. */
import './errors.js'

export { answerUsage, blockEvent, contentOf } from './claude-agent/reading.js'
export { scratchDirectory } from './coding/environment.js'
export { commandAgentOptions } from './command/agent.js'
export { readSafely, type SafeReader } from './context/safe-reader.js'
export { usageFrom } from './context/usage.js'
export { lineReader, protocolOf, type RpcReply, type RpcRequest, rpcCodes, toolResult } from './mcp/protocol.js'
export { inputProblems } from './mcp/tools.js'
export { withoutKeys } from './run/secrets.js'
