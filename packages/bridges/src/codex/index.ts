/**
 * Codex as an agent, through its SDK or as a program; contexts of its turns; Codex as a model.
 *
 * @example
 * import { codexAgent } from '@jurist/bridges/codex'
 * import { Codex } from '@openai/codex-sdk'
 *
 * const agent = codexAgent({ codex: (env) => new Codex({ env, apiKey: process.env.OPENAI_API_KEY }) })
 */
import '../errors.js'

export type { AgentEnvironment, CodingAgentOptions, Permissions } from '../coding/coding-options.js'
export type { ContextExtras, RunExtras } from '../context/extras.js'
export type { Evaluate, Observe, Observed, Run } from '../run/observe.js'
export { type CodexAgentOptions, type CodexModelOptions, codexAgent, codexModel } from './agent.js'
export { type CodexCommandOptions, codexCommand } from './command.js'
export type { CodexClient, CodexEvent, CodexRun, CodexThreadOptions, CodexTurn } from './context.js'
export { codexKeys, contextFromCodex, evaluateCodex, observeCodex } from './context.js'
