import { type OptionRule, option } from '@jurist/core/internal'
import type { NetworkAttempt } from './egress/allow-list.js'
import { allowListRule, type NetworkAllowList } from './egress/allow-list.js'

/** The default path of the workspace in a sandbox that isolates. */
export const inside = '/workspace'

/** Refuses a directory that the sandbox itself needs. */
export const placeRule: OptionRule = {
  wants: 'an absolute path such as "/app", not one of the system',
  holds: (value) => typeof value === 'string' && isFreePlace(value),
}

export const mountsRule: OptionRule = {
  wants: 'an array of { from, to }, both absolute paths',
  holds: (value) =>
    Array.isArray(value) &&
    value.every((one) => typeof one?.from === 'string' && one.from.startsWith('/') && isFreePlace(one.to)),
}

export const networkRule: OptionRule = {
  ...option.either(option.oneOf('none', 'host'), allowListRule),
  wants: `"none", "host" or ${allowListRule.wants}`,
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

/** The resources that a command may use. A limit that cannot be enforced is `sandbox-unavailable`, never ignored. */
export interface CommandLimits {
  readonly memoryBytes?: number
  readonly processes?: number
  readonly cpuSeconds?: number
  /** The largest file that may be written, in bytes. */
  readonly fileBytes?: number
}

/** A directory of the machine that commands see at another path. */
export interface SandboxMount {
  /** The absolute directory of the machine. */
  readonly from: string
  /** The absolute path at which commands see it. */
  readonly to: string
  /** Whether commands may write to it. Default `false`. */
  readonly writable?: boolean
}

/** The differences of another sandbox of the same kind. */
export interface SandboxChanges {
  /** The path at which commands find the workspace: an absolute path such as `/app`. */
  readonly workspaceAt?: string
  /** Directories in addition to those that are already visible. */
  readonly mounts?: readonly SandboxMount[]
  /** The network that commands have. */
  readonly network?: 'none' | 'host' | NetworkAllowList
  /** Hosts in addition to those of an allow-list; refused with `sandbox-unavailable` if there is no such list. */
  readonly allowHosts?: readonly string[]
  /** How many processors they may use. Only containers limit that. */
  readonly cpus?: number
}

/** A command to run in a sandbox. */
export interface SandboxCommand {
  readonly file: string
  readonly args: readonly string[]
  /** The absolute directory of the workspace. */
  readonly root: string
  /** The working directory, relative to `root`. */
  readonly cwd: string
  readonly env: { readonly [name: string]: string }
  readonly limits: CommandLimits
  /** Called with each attempt to reach a host, when it is over. Only sandboxes with an allow-list know of them. */
  readonly onNetwork?: ((attempt: NetworkAttempt) => void) | undefined
}

/** The process to start on the host. */
export interface Launch {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: { readonly [name: string]: string }
  /** The content of file descriptor 3 of the process: data that must not be visible in the list of processes. */
  readonly descriptor3?: string
  /**
   * Returns why the command itself never ran; `undefined` if it did run. It is called when the process has ended by
   * itself with an exit code other than 0, before `stop`. For sandboxes whose own program starts even if the command
   * does not.
   */
  whyNotStarted?(exitCode: number, stderr: string): Promise<string | undefined>
  /** Ends everything that runs. It may be called more than once. Afterwards, no process of it runs. */
  stop(): Promise<void>
}

/** An environment in which commands run. */
export interface Sandbox {
  readonly name: string
  readonly isolation: 'none' | 'namespace' | 'container'
  /** The hosts that commands may reach; absent without an allow-list. */
  readonly network?: {
    readonly hosts: readonly string[]
    readonly unsandboxedAgent: boolean
    /** Whether a host, in lower case, may be reached at a port. */
    allows(host: string, port: number): boolean
  }
  /** Runs `true` in the sandbox. A success is cached. Rejects with `sandbox-unavailable`. */
  probe(signal?: AbortSignal): Promise<void>
  /** Returns the same sandbox with containers of another image; absent if there are no images. */
  withImage?(image: string): Sandbox
  /** Returns the same sandbox with other paths and limits; absent if commands see the machine as it is. */
  with?(changes: SandboxChanges): Sandbox
  /** Returns how to start a command. Rejects if it cannot be started. */
  launch(command: SandboxCommand): Promise<Launch>
}
