/** A tool call, as one message of the agent describes it. */
export interface AcpToolCallUpdate {
  readonly toolCallId: string
  readonly title?: string | null | undefined
  readonly kind?: string | null | undefined
  readonly status?: string | null | undefined
  readonly rawInput?: unknown
  readonly locations?:
    | readonly { readonly path: string; readonly line?: number | null | undefined }[]
    | null
    | undefined
}

/** One of the answers to a permission request. */
export interface AcpPermissionOption {
  readonly optionId: string
  readonly name: string
  readonly kind: 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always'
}

/** An agent's request for permission. */
export interface AcpPermissionRequest {
  readonly toolCall: AcpToolCallUpdate
  readonly options: readonly AcpPermissionOption[]
}

/** Starts the agent's process, on this machine or elsewhere. Rejects if it cannot be started. */
export type StartProcess = (
  command: readonly [string, ...string[]],
  where: { readonly cwd: string; readonly environment: { readonly [name: string]: string } },
) => Promise<StartedProcess>

/** A process that speaks the protocol on its standard streams. */
export interface StartedProcess {
  readonly input: WritableStream<Uint8Array>
  readonly output: ReadableStream<Uint8Array>
  readonly errors: ReadableStream<Uint8Array>
  readonly ended: Promise<{ readonly exitCode: number | null; readonly signal: string | null }>
  /** Sends a signal to the whole process group. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): void
}
