/**
 * Judges that call a model, their three parts (prompt, model, classify), and middleware for models: caches, recordings,
 * retries, limits, budgets, prices.
 *
 * @example
 * import { correctness } from 'jurist/llm'
 *
 * const meaning = jury({ judges: { correct: correctness({ model }) } })
 */
export * from '@jurist/core/llm'
