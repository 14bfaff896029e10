/**
 * Models behind any server that speaks chat completions.
 *
 * @example
 * import { openAiCompatibleModel } from 'jurist/openai-compatible'
 */
export * from '@jurist/bridges/openai-compatible'
