import type { JsonObject } from '@jurist/core'
import type { ModelOptions } from '@jurist/core/llm'

// Apart from its schema, since published types need no schema library.

/** What a model costs, in US dollars for a million tokens, and the day on which that was so. */
export interface ModelPrices {
  readonly inputUsdPerMillion: number
  readonly outputUsdPerMillion: number
  /** Default: as other input. */
  readonly cacheReadUsdPerMillion?: number
  /** Default: as other input. */
  readonly cacheWriteUsdPerMillion?: number
  /** The day of the price list, `YYYY-MM-DD`. Runs record it with the prices. */
  readonly asOf: string
}

/** A model behind an HTTP protocol, as a config describes it. */
export interface ModelDescription {
  readonly provider: 'openai-compatible' | 'anthropic'
  /** Its name at the provider. */
  readonly model: string
  /** The server's address without the route, such as `http://localhost:11434/v1`. Default for `anthropic`: its own. */
  readonly baseUrl?: string
  /** The name of the environment variable that holds the key. Default: no key is sent. */
  readonly apiKeyEnv?: string
  /** Default: costs are unknown unless the provider reports them. */
  readonly prices?: ModelPrices
  /** For each request, unless a judge says otherwise. */
  readonly options?: Pick<ModelOptions, 'temperature' | 'maxTokens' | 'timeoutMs' | 'seed'>
  /** Further fields of each request, such as `{ reasoning_effort: 'low' }`. */
  readonly body?: JsonObject
  /** How a JSON answer is enforced. Default: `auto`; for `anthropic`: `schema`. */
  readonly structured?: 'auto' | 'schema' | 'object' | 'tool' | 'prompt'
}
