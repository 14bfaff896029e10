/**
 * Agents of any bridge: judge one run, read what is known of it, ask an agent as a model.
 *
 * @example
 * import { evaluateAgent } from 'jurist/agent'
 */
import '@jurist/workspace' // It opens paths in contexts.

export * from '@jurist/bridges/agent'
