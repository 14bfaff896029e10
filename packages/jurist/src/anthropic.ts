/**
 * Models behind Anthropic messages.
 *
 * @example
 * import { anthropicModel } from 'jurist/anthropic'
 */
export * from '@jurist/bridges/anthropic'
