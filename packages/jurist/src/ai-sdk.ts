/**
 * The bridge to the AI SDK: contexts from its results, its models as judge models, and its agents as agents.
 *
 * @example
 * import { aiSdkModel } from 'jurist/ai-sdk'
 */
import '@jurist/workspace' // It opens paths in contexts.

export * from '@jurist/bridges/ai-sdk'
