import { JuristError, type RunOptions, type WritableWorkspace } from '@jurist/core'

/** A workspace that an agent may use until it is revoked. */
export interface RevocableWorkspace {
  readonly workspace: WritableWorkspace
  /** Whether something may have been changed through it. */
  touched(): boolean
  /**
   * Forbids all changes from now on, since the files are evidence, and ends the commands that still run. Returns their
   * promises.
   */
  revoke(): readonly Promise<unknown>[]
}

/** A workspace that can be revoked. Afterwards writing and running commands reject with `aborted`. */
export function revocableWorkspace(original: WritableWorkspace): RevocableWorkspace {
  const running = new Set<Promise<unknown>>()
  let stop: AbortController | undefined
  let revoked = false
  let touched = false

  function changeable(): WritableWorkspace {
    if (revoked)
      throw new JuristError('aborted', 'The agent had to end: its workspace cannot be changed any more.', {
        reason: 'the trial has gone on without the agent',
      })
    touched = true
    return original
  }
  // Whoever knows the directory may change it.
  function changeableRoot(): string | undefined {
    touched = true
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
  if ('root' in original) Object.defineProperty(workspace, 'root', { enumerable: true, get: changeableRoot })

  return {
    workspace: Object.freeze(workspace),
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
