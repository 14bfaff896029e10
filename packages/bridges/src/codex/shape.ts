/** Options of a thread, as far as the bridge sets them. */
export interface CodexThreadOptions {
  model?: string
  sandboxMode?: 'read-only' | 'workspace-write' | 'danger-full-access'
  workingDirectory?: string
  skipGitRepoCheck?: boolean
  approvalPolicy?: 'never' | 'on-request' | 'on-failure' | 'untrusted'
  webSearchMode?: 'disabled' | 'cached' | 'live'
}

/** One event of a turn; every other field is read with care. */
export interface CodexEvent {
  readonly type: string
}

/** What is used of `Codex`. */
export interface CodexClient {
  startThread(options?: CodexThreadOptions): {
    runStreamed(
      input: string,
      options?: { signal?: AbortSignal; outputSchema?: unknown },
    ): Promise<{ readonly events: AsyncIterable<CodexEvent> }>
  }
}

/** What `thread.run` resolves to; every field may be missing or malformed. */
export interface CodexTurn {
  readonly items?: readonly object[] | undefined
  readonly finalResponse?: string | undefined
  readonly usage?: object | null | undefined
}

/** The events of one turn, in order, or what `thread.run` resolved to. */
export type CodexRun = readonly CodexEvent[] | CodexTurn
