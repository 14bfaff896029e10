/**
 * Codex as an agent and as a model.
 *
 * @example
 * import { codexAgent } from 'jurist/codex'
 */
export * from '@jurist/bridges/codex'
