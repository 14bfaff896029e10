/** What the SDK's `query` gives out, as far as it is told apart here; every other field is read with care. */
export interface ClaudeMessage {
  readonly type: string
  readonly subtype?: string
}

/** `query` of the Claude Agent SDK. The bridge builds `{ prompt, options }`. */
export type ClaudeQuery = (input: never) => AsyncIterable<ClaudeMessage>

/** Options of `query`. */
export interface ClaudeOptions {
  readonly [option: string]: unknown
}

/** The messages of one run, in order, or the result message alone. */
export type ClaudeRun = readonly ClaudeMessage[] | ClaudeMessage
