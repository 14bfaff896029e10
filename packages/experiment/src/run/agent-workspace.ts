import { JuristError, type RunOptions, type WritableWorkspace } from '@jurist/core'

/** A workspace in the hands of an agent, until it is taken back. */
export interface LentWorkspace {
  /** What the agent works with, made when it is asked for: an agent that only answers needs none. */
  readonly workspace: () => WritableWorkspace
  /** Whether something may have been changed through it. */
  touched(): boolean
  /**
   * Ends the commands that still run; from now on nothing can be written or run: what was left is evidence. Gives the end
   * of those commands, or `null` when there is none to wait for.
   */
  takeBack(): Promise<unknown> | null
}

/** Lends a workspace. What the agent does with it afterwards fails with `aborted`. */
export function lendWorkspace(lent: () => WritableWorkspace): LentWorkspace {
  const use: Use = { over: false, touched: false, running: null, ending: null }
  let workspace: WritableWorkspace | undefined
  return {
    workspace() {
      workspace ??= handleOf(lent(), use)
      return workspace
    },
    touched: () => use.touched,
    takeBack() {
      use.over = true
      if (use.running === null || use.running.size === 0) return null
      use.ending?.abort(new Error('the agent has ended'))
      return Promise.allSettled(use.running)
    },
  }
}

/** What an agent has done with its workspace. */
interface Use {
  over: boolean
  touched: boolean
  running: Set<Promise<unknown>> | null
  ending: AbortController | null
}

function handleOf(lent: WritableWorkspace, use: Use): WritableWorkspace {
  function change(): WritableWorkspace {
    if (use.over)
      throw new JuristError('aborted', 'The agent had to end: its workspace cannot be changed any more.', {
        reason: 'the trial has gone on without the agent',
      })
    use.touched = true
    return lent
  }

  const handle: WritableWorkspace = {
    exists: (path) => lent.exists(path),
    isFile: (path) => lent.isFile(path),
    read: (path, options) => lent.read(path, options),
    readBytes: (path, options) => lent.readBytes(path, options),
    list: (options) => lent.list(options),
    write: async (path, content) => change().write(path, content),
    remove: async (path) => change().remove(path),
    run: async (command, options = {}) => {
      const workspace = change()
      use.ending ??= new AbortController()
      const result = workspace.run(command, { ...options, signal: joined(options, use.ending.signal) })
      use.running ??= new Set()
      use.running.add(result)
      try {
        return await result
      } finally {
        use.running.delete(result)
      }
    },
  }
  if ('root' in lent)
    Object.defineProperty(handle, 'root', {
      enumerable: true,
      get() {
        use.touched = true
        return lent.root
      },
    })
  return Object.freeze(handle)
}

function joined({ signal }: RunOptions, ending: AbortSignal): AbortSignal {
  return signal === undefined ? ending : AbortSignal.any([signal, ending])
}
