import { JuristError, type RunOptions, type WritableWorkspace } from '@jurist/core'

/** A workspace in the hands of an agent, until it is taken back. */
export interface LentWorkspace {
  readonly workspace: WritableWorkspace
  /** Whether something may have been changed through it. */
  readonly touched: boolean
  /**
   * Ends the commands that still run and waits for them; from now on nothing can be written or run: what was left is
   * evidence.
   */
  takeBack(): Promise<void>
}

/** Lends a workspace. What the agent does with it afterwards fails with `aborted`. */
export function lendWorkspace(lent: WritableWorkspace): LentWorkspace {
  const running = new Set<Promise<unknown>>()
  let ending: AbortController | undefined
  let over = false
  let touched = false

  function use(): WritableWorkspace {
    if (over)
      throw new JuristError('aborted', 'The agent had to end: its workspace cannot be changed any more.', {
        reason: 'the trial has gone on without the agent',
      })
    touched = true
    return lent
  }

  const workspace: WritableWorkspace = {
    exists: (path) => lent.exists(path),
    isFile: (path) => lent.isFile(path),
    read: (path, options) => lent.read(path, options),
    readBytes: (path, options) => lent.readBytes(path, options),
    list: (options) => lent.list(options),
    write: async (path, content) => use().write(path, content),
    remove: async (path) => use().remove(path),
    async run(command, options = {}) {
      const { run } = use()
      ending ??= new AbortController()
      const result = run.call(lent, command, { ...options, signal: joined(options, ending.signal) })
      running.add(result)
      try {
        return await result
      } finally {
        running.delete(result)
      }
    },
  }
  if ('root' in lent)
    Object.defineProperty(workspace, 'root', {
      enumerable: true,
      get() {
        touched = true
        return lent.root
      },
    })

  return {
    workspace: Object.freeze(workspace),
    get touched() {
      return touched
    },
    async takeBack() {
      over = true
      ending?.abort(new Error('the agent has ended'))
      if (running.size > 0) await Promise.allSettled(running)
    },
  }
}

function joined({ signal }: RunOptions, ending: AbortSignal): AbortSignal {
  return signal === undefined ? ending : AbortSignal.any([signal, ending])
}
