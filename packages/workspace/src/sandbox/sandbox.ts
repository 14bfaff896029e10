/** Where commands find the workspace in a sandbox that isolates. */
export const inside = '/workspace'

/** What a command may use up. Asked for but impossible is `sandbox-unavailable`, never ignored. */
export interface RunLimits {
  readonly memoryBytes?: number
  readonly processes?: number
  readonly cpuSeconds?: number
  /** The largest file that may be written. */
  readonly fileBytes?: number
}

/** A command on its way into a sandbox. */
export interface SandboxCommand {
  readonly file: string
  readonly args: readonly string[]
  /** The absolute directory of the workspace. */
  readonly root: string
  /** Relative to `root`. */
  readonly cwd: string
  readonly env: { readonly [name: string]: string }
  readonly limits: RunLimits
}

/** The process to start on the host. */
export interface Launch {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: { readonly [name: string]: string }
  /** What the process reads from its file descriptor 3: words that must not be seen in the list of processes. */
  readonly descriptor3?: string
  /**
   * Why the command itself never ran, asked when the process has ended by itself with a code other than 0 and before
   * `stop`; `undefined` when it did run. For sandboxes whose own program starts though the command does not.
   */
  whyNotStarted?(exitCode: number, stderr: string): Promise<string | undefined>
  /** Ends what runs. May be called more than once; afterwards nothing of it runs. */
  stop(): Promise<void>
}

/** Where commands run. */
export interface Sandbox {
  readonly name: string
  readonly isolation: 'none' | 'namespace' | 'container'
  /** Runs `true` in it; remembered once it succeeded. Rejects with `sandbox-unavailable`. */
  probe(signal?: AbortSignal): Promise<void>
  /** The same with containers of another image; absent where there are no images. */
  withImage?(image: string): Sandbox
  /** How to start a command. Rejects when it cannot be started. */
  launch(command: SandboxCommand): Promise<Launch>
}
