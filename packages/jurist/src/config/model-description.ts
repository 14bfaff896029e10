import type { JsonObject } from '@jurist/core'
import type { ModelOptions } from '@jurist/core/llm'

// Separate from its schema, since published types must not depend on a schema library.

/** The prices of a model in US dollars per million tokens, with their date. */
export interface ModelPrices {
  readonly inputUsdPerMillion: number
  readonly outputUsdPerMillion: number
  /** Default: the price of other input. */
  readonly cacheReadUsdPerMillion?: number
  /** Default: the price of other input. */
  readonly cacheWriteUsdPerMillion?: number
  /** The day of the price list, `YYYY-MM-DD`. Runs record it with the prices. */
  readonly asOf: string
}

/** A model behind an HTTP protocol, as a config describes it. */
export interface ModelDescription {
  readonly provider: 'openai-compatible' | 'anthropic'
  /** The name of the model at the provider. */
  readonly model: string
  /**
   * The URL of the server without the route, such as `http://localhost:11434/v1`. Default for `anthropic`: its own
   * server.
   */
  readonly baseUrl?: string
  /** The name of the environment variable that contains the key. Default: no key is sent. */
  readonly apiKeyEnv?: string
  /** Default: costs are unknown unless the provider reports them. */
  readonly prices?: ModelPrices
  /** Defaults for each request, which a judge may override. */
  readonly options?: Pick<ModelOptions, 'temperature' | 'maxTokens' | 'timeoutMs' | 'seed'>
  /** Further fields of each request, such as `{ reasoning_effort: 'low' }`. */
  readonly body?: JsonObject
  /** The way in which a JSON answer is enforced. Default: `auto`; for `anthropic`: `schema`. */
  readonly structured?: 'auto' | 'schema' | 'object' | 'tool' | 'prompt'
}
