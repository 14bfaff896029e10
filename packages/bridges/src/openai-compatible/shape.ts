/** What is read of a chat completion; every field may be missing or malformed. */
export interface ChatCompletion {
  readonly id?: string | undefined
  readonly model?: string | undefined
  readonly system_fingerprint?: string | null | undefined
  readonly choices?: readonly ChatChoice[] | undefined
  readonly usage?: ChatUsage | null | undefined
}
export interface ChatChoice {
  readonly finish_reason?: string | null | undefined
  readonly message?:
    | {
        readonly content?: string | readonly unknown[] | null | undefined
        readonly refusal?: string | null | undefined
        readonly tool_calls?: readonly unknown[] | null | undefined
        readonly annotations?: readonly unknown[] | null | undefined
      }
    | undefined
  readonly logprobs?: { readonly content?: readonly unknown[] | null | undefined } | null | undefined
}
export interface ChatUsage {
  readonly prompt_tokens?: number | undefined
  readonly completion_tokens?: number | undefined
  readonly total_tokens?: number | undefined
  readonly prompt_tokens_details?:
    | { readonly cached_tokens?: number | null | undefined; readonly cache_write_tokens?: number | null | undefined }
    | null
    | undefined
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number | null | undefined } | null | undefined
}
