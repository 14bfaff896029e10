import { JuristError, type RunOptions, type WritableWorkspace } from '@jurist/core'
import type { WorkspaceLease } from '../provision/provision.js'

/** A workspace that an agent may use until it is revoked. */
export interface RevocableWorkspace {
  /** The workspace; the first call opens it. */
  workspace(): WritableWorkspace
  /** Whether something may have been changed through it. */
  touched(): boolean
  /**
   * Forbids all changes from now on, since the files are evidence, and ends the commands that still run. Returns their
   * promises.
   */
  revoke(): readonly Promise<unknown>[]
}

/** How a workspace is used. */
interface Use {
  readonly running: Set<Promise<unknown>>
  /** Ends the commands; made with the first one. */
  stop: AbortController | undefined
  touched: boolean
  revoked: boolean
}

/**
 * A workspace that can be revoked. Afterwards writing and running commands reject with `aborted`. Many agents only answer:
 * theirs is never opened.
 */
export function revocableWorkspace(lease: Pick<WorkspaceLease, 'workspace'>): RevocableWorkspace {
  const use: Use = { running: new Set(), stop: undefined, touched: false, revoked: false }
  let opened: WritableWorkspace | undefined
  return {
    workspace() {
      opened ??= open(lease.workspace, use)
      return opened
    },
    touched: () => use.touched,
    revoke() {
      use.revoked = true
      use.stop?.abort(new Error('the agent has ended'))
      return [...use.running]
    },
  }
}

function open(original: WritableWorkspace, use: Use): WritableWorkspace {
  function changeable(): WritableWorkspace {
    if (use.revoked)
      throw new JuristError('aborted', 'The agent had to end: its workspace cannot be changed any more.', {
        reason: 'the trial has gone on without the agent',
      })
    use.touched = true
    return original
  }
  // Whoever knows the directory may change it.
  function changeableRoot(): string | undefined {
    use.touched = true
    return original.root
  }
  const workspace: WritableWorkspace = {
    exists: (path) => original.exists(path),
    isFile: (path) => original.isFile(path),
    read: (path, options) => original.read(path, options),
    readBytes: (path, options) => original.readBytes(path, options),
    list: (options) => original.list(options),
    write: async (path, content) => changeable().write(path, content),
    remove: async (path) => changeable().remove(path),
    async run(command, options = {}) {
      const changed = changeable()
      use.stop ??= new AbortController()
      const result = changed.run(command, { ...options, signal: joined(options, use.stop.signal) })
      use.running.add(result)
      try {
        return await result
      } finally {
        use.running.delete(result)
      }
    },
  }
  if ('root' in original) Object.defineProperty(workspace, 'root', { enumerable: true, get: changeableRoot })
  return Object.freeze(workspace)
}

function joined({ signal }: RunOptions, stop: AbortSignal): AbortSignal {
  return signal === undefined ? stop : AbortSignal.any([signal, stop])
}
