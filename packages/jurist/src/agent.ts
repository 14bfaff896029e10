/**
 * Functions for agents of any bridge: judge one run, read its recorded data, or use an agent as a model.
 *
 * @example
 * import { evaluateAgent } from 'jurist/agent'
 */
import '@jurist/workspace' // It opens paths in contexts.

export * from '@jurist/bridges/agent'
