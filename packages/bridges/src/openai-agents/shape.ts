/** What is read of one response of a model; every field may be missing or malformed. */
export interface OpenAiAgentsResponse {
  readonly usage?:
    | {
        readonly inputTokens?: number | undefined
        readonly outputTokens?: number | undefined
        readonly totalTokens?: number | undefined
        readonly inputTokensDetails?: readonly object[] | undefined
        readonly outputTokensDetails?: readonly object[] | undefined
      }
    | undefined
  readonly output?: readonly object[] | undefined
  readonly responseId?: string | undefined
}

/** What is read of the result of `run`; every field may be missing or malformed. */
export interface OpenAiAgentsResult {
  readonly finalOutput?: unknown
  readonly newItems?: readonly object[] | undefined
  readonly rawResponses?: readonly OpenAiAgentsResponse[] | undefined
  readonly lastResponseId?: string | undefined
  readonly lastAgent?: { readonly name?: string | undefined } | undefined
  readonly interruptions?: readonly object[] | undefined
}
