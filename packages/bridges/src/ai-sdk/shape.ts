/** What is read of a usage of the AI SDK. */
export interface AiSdkUsage {
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly totalTokens?: number | undefined
  readonly cachedInputTokens?: number | undefined
  readonly reasoningTokens?: number | undefined
  readonly inputTokenDetails?:
    | { readonly cacheReadTokens?: number | undefined; readonly cacheWriteTokens?: number | undefined }
    | undefined
  readonly outputTokenDetails?: { readonly reasoningTokens?: number | undefined } | undefined
}

/** What is read of one step; every field may be missing or malformed. */
export interface AiSdkStep {
  readonly text?: string | undefined
  readonly usage?: AiSdkUsage | undefined
  readonly finishReason?: string | undefined
  readonly rawFinishReason?: string | undefined
  readonly content?: readonly unknown[] | undefined
  readonly toolCalls?: readonly unknown[] | undefined
  readonly toolResults?: readonly unknown[] | undefined
  readonly sources?: readonly unknown[] | undefined
  readonly response?: { readonly id?: string | undefined; readonly modelId?: string | undefined } | undefined
  readonly model?: { readonly provider?: string | undefined; readonly modelId?: string | undefined } | undefined
}

/**
 * What is read of the result of `generateText` or `ToolLoopAgent.generate` of `ai` 6 and 7; for `streamText`, an object
 * of its awaited fields. Every field may be missing or malformed.
 */
export interface AiSdkResult {
  readonly text?: string | undefined
  readonly output?: unknown
  readonly files?: readonly unknown[] | undefined
  readonly finishReason?: string | undefined
  readonly rawFinishReason?: string | undefined
  readonly usage?: AiSdkUsage | undefined
  readonly warnings?: readonly unknown[] | undefined
  readonly response?: { readonly id?: string | undefined; readonly modelId?: string | undefined } | undefined
  readonly steps?: readonly AiSdkStep[] | undefined
}

/** A language model object of a provider, of specification `v3` (`ai` 6) or `v4` (`ai` 7). */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string
  readonly provider: string
  readonly modelId: string
  doGenerate(options: never): PromiseLike<unknown>
}
