/**
 * Models behind any server with the API for chat completions.
 *
 * @example
 * import { openAiCompatibleModel } from 'jurist/openai-compatible'
 */
import '@jurist/workspace' // It opens paths in contexts.

export * from '@jurist/bridges/openai-compatible'
