import type { OptionRule } from '@jurist/core/internal'

/** Where commands find the workspace in a sandbox that isolates, unless it says otherwise. */
export const inside = '/workspace'

/** The rule of a place in a sandbox, for `checkOptions`: no directory that the sandbox itself needs. */
export const placeRule: OptionRule = {
  wants: 'an absolute path such as "/app", not one of the system',
  holds: (value) => typeof value === 'string' && isFreePlace(value),
}

/** The rule of mounts, for `checkOptions`. */
export const mountsRule: OptionRule = {
  wants: 'an array of { from, to }, both absolute paths',
  holds: (value) =>
    Array.isArray(value) &&
    value.every((one) => typeof one?.from === 'string' && one.from.startsWith('/') && isFreePlace(one.to)),
}

const systemPlace = /^\/(?:usr|bin|sbin|lib\w*|etc|proc|dev|sys|run)(?:\/|$)/

function isFreePlace(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    /^(?:\/[\w.@-]+)+$/.test(value) &&
    !/\/\.{1,2}(?:\/|$)/.test(value) &&
    !systemPlace.test(value)
  )
}

/** What a command may use up. Asked for but impossible is `sandbox-unavailable`, never ignored. */
export interface CommandLimits {
  readonly memoryBytes?: number
  readonly processes?: number
  readonly cpuSeconds?: number
  /** The largest file that may be written. */
  readonly fileBytes?: number
}

/** A directory of the machine that commands see at its own place. */
export interface SandboxMount {
  /** The absolute directory of the machine. */
  readonly from: string
  /** Where commands see it: absolute. */
  readonly to: string
  /** Default false. */
  readonly writable?: boolean
}

/** How another sandbox of the same kind differs. */
export interface SandboxChanges {
  /** Where commands find the workspace: an absolute path such as `/app`. */
  readonly workspaceAt?: string
  /** Directories besides those that can be seen already. */
  readonly mounts?: readonly SandboxMount[]
  /** Whether commands reach a network. */
  readonly network?: boolean
  /** How many processors they may use; only containers limit that. */
  readonly cpus?: number
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
  readonly limits: CommandLimits
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
  /** The same with other places and limits; absent where commands see the machine as it is. */
  with?(changes: SandboxChanges): Sandbox
  /** How to start a command. Rejects when it cannot be started. */
  launch(command: SandboxCommand): Promise<Launch>
}
