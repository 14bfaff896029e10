/** What is read of an Anthropic message; every field may be missing or malformed. */
export interface AnthropicMessage {
  readonly id?: string | undefined
  readonly model?: string | undefined
  readonly stop_reason?: string | null | undefined
  readonly content?: readonly unknown[] | undefined
  readonly usage?: AnthropicUsage | undefined
}
export interface AnthropicUsage {
  readonly input_tokens?: number | null | undefined
  readonly output_tokens?: number | null | undefined
  readonly cache_read_input_tokens?: number | null | undefined
  readonly cache_creation_input_tokens?: number | null | undefined
  readonly output_tokens_details?: { readonly thinking_tokens?: number | null | undefined } | null | undefined
}
