/** What is read of a message: any class of LangChain, recognised by its `type` (`ai`, `tool`, `human`, `system`). */
export interface LangChainMessage {
  readonly type: string
  readonly content: unknown
  readonly id?: string | undefined
}

/** What a run resolved to: one message, a list of messages, or the state of an agent. */
export type LangChainResult =
  | LangChainMessage
  | readonly LangChainMessage[]
  | { readonly messages: readonly LangChainMessage[]; readonly structuredResponse?: unknown }

/** A document that was retrieved. */
export interface LangChainDocument {
  readonly pageContent: string
  readonly id?: string | undefined
  readonly metadata?: { readonly [key: string]: unknown } | undefined
}

/** What is called of a chat model, or of a runnable made of one. */
export interface LangChainModel {
  invoke(messages: never, options?: never): PromiseLike<unknown>
}
