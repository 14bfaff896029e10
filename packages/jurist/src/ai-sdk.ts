/**
 * The AI SDK: contexts of its results, its models as judges, its agents as agents.
 *
 * @example
 * import { aiSdkModel } from 'jurist/ai-sdk'
 */
import '@jurist/workspace' // It opens paths in contexts.

export * from '@jurist/bridges/ai-sdk'
