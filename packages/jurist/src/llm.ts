/**
 * Judges that ask a model, the three parts they are made of (prompt, model, classify), and what may stand around a model:
 * caches, recordings, retries, limits, budgets, prices.
 *
 * @example
 * import { correctness } from 'jurist/llm'
 *
 * const meaning = jury({ judges: { correct: correctness({ model }) } })
 */
export * from '@jurist/core/llm'
