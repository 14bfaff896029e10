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

/**
 * A workspace that can be revoked. Afterwards writing and running commands reject with `aborted`. Many agents only answer:
 * theirs is never opened.
 */
export function revocableWorkspace(lease: Pick<WorkspaceLease, 'workspace'>): RevocableWorkspace {
  const running = new Set<Promise<unknown>>()
  let opened: WritableWorkspace | undefined
  let stop: AbortController | undefined
  let revoked = false
  let touched = false

  function changeable(original: WritableWorkspace): WritableWorkspace {
    if (revoked)
      throw new JuristError('aborted', 'The agent had to end: its workspace cannot be changed any more.', {
        reason: 'the trial has gone on without the agent',
      })
    touched = true
    return original
  }
  function open(original: WritableWorkspace): WritableWorkspace {
    const workspace: WritableWorkspace = {
      exists: (path) => original.exists(path),
      isFile: (path) => original.isFile(path),
      read: (path, options) => original.read(path, options),
      readBytes: (path, options) => original.readBytes(path, options),
      list: (options) => original.list(options),
      write: async (path, content) => changeable(original).write(path, content),
      remove: async (path) => changeable(original).remove(path),
      async run(command, options = {}) {
        const changed = changeable(original)
        stop ??= new AbortController()
        const result = changed.run(command, { ...options, signal: joined(options, stop.signal) })
        running.add(result)
        try {
          return await result
        } finally {
          running.delete(result)
        }
      },
    }
    // Whoever knows the directory may change it.
    function changeableRoot(): string | undefined {
      touched = true
      return original.root
    }
    if ('root' in original) Object.defineProperty(workspace, 'root', { enumerable: true, get: changeableRoot })
    return Object.freeze(workspace)
  }

  return {
    workspace() {
      opened ??= open(lease.workspace)
      return opened
    },
    touched: () => touched,
    revoke() {
      revoked = true
      stop?.abort(new Error('the agent has ended'))
      return [...running]
    },
  }
}

function joined({ signal }: RunOptions, stop: AbortSignal): AbortSignal {
  return signal === undefined ? stop : AbortSignal.any([signal, stop])
}
