/**
 * Codex as an agent, through its SDK or as a program; contexts of its turns; Codex as a model.
 *
 * @example
 * import { codexAgent } from '@jurist/bridges/codex'
 * import { Codex } from '@openai/codex-sdk'
 *
 * const agent = codexAgent({ codex: (env) => new Codex({ env }), environment: { allow: ['CODEX_API_KEY'] } })
 */
import '../errors.js'

export type { AgentEnvironment, CodingAgentOptions, Permissions } from '../coding/coding-options.js'
export {
  type CodexAgentOptions,
  type CodexClient,
  type CodexEvent,
  type CodexModelOptions,
  type CodexRun,
  type CodexThreadOptions,
  type CodexTurn,
  codexAgent,
  codexModel,
  contextFromCodex,
  evaluateCodex,
  observeCodex,
} from './agent.js'
export { type CodexCommandOptions, codexCommand } from './command.js'
