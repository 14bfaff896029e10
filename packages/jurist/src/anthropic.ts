/**
 * Models of the Anthropic Messages API.
 *
 * @example
 * import { anthropicModel } from 'jurist/anthropic'
 */
import '@jurist/workspace' // It opens paths in contexts.

export * from '@jurist/bridges/anthropic'
