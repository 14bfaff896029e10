/**
 * Codex as an agent and as a model.
 *
 * @example
 * import { codexAgent } from 'jurist/codex'
 */
import '@jurist/workspace' // It opens paths in contexts.

export * from '@jurist/bridges/codex'
