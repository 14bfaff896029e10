/**
 * Any program as an agent or as a model.
 *
 * @example
 * import { commandAgent } from 'jurist/command'
 */
export * from '@jurist/bridges/command'
