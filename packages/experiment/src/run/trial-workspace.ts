import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { JuristError, type RunOptions, type WritableWorkspace } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import { withTimeout } from '@jurist/kit/timers'
import type { WorkspaceLease } from '../provision/provision.js'
import { disposed } from '../provision/read-only-workspaces.js'
import type { KeptChanges } from '../result/records.js'
import type { Attempted, RunContext } from './run-context.js'
import { type Trial, trialName } from './trials.js'

/** The workspace of a trial, kept next to its results. */
interface KeptWorkspace {
  /** Relative to the directory of the run. */
  readonly path: string
  /** Absent: it is kept whole. */
  readonly changes: KeptChanges | undefined
  discard(): Promise<void>
}

/** Whether the files that the agent left are kept: not where the workspace began empty and was never touched. */
export function isWorthKeeping(attempted: Attempted, lease: WorkspaceLease): boolean {
  const { directory, preserve } = attempted.run
  return directory !== null && preserve !== 'none' && !isUntouched(attempted, lease)
}

/** Keeps the files that the agent left, before judges can change them. A failure is a warning, and `null`. */
export async function keepWorkspace({ run, trial }: Attempted, lease: WorkspaceLease): Promise<KeptWorkspace | null> {
  if (run.directory === null) return null
  const path = `workspaces/${trialName(trial)}`
  const directory = join(run.directory, path)
  try {
    // An earlier process may have kept it and died before the trial was recorded.
    if (run.resumed && existsSync(directory)) await rm(directory, { recursive: true, force: true })
    // Elsewhere a database is read, where the dataset may not be.
    const changes = await lease.keepAt(directory, { changes: run.keepsDirectory })
    return { path, changes, discard: () => rm(directory, { recursive: true, force: true }) }
  } catch (thrown) {
    run.warn('workspace-not-kept', `The workspace could not be kept: ${failureOf(thrown).message}`, trial.itemId)
    return null
  }
}

/** Whether the workspace never held anything: it began empty and was not touched. */
export function isUntouched({ setup, turn }: Attempted, { origin }: WorkspaceLease): boolean {
  return origin['kind'] === 'empty' && !setup.filled && !turn.touched
}

const releaseGraceMs = 30_000

/** Releases a workspace. A failure, or more than 30 seconds, is a warning. */
export async function releaseWorkspace(run: RunContext, { itemId }: Trial, lease: WorkspaceLease): Promise<void> {
  const warn = (problem: string) => run.warn('lease-kept', `The workspace ${problem}`, itemId)
  try {
    const disposing = lease[Symbol.asyncDispose]()
    if (disposing === disposed) return
    await withTimeout(disposing, releaseGraceMs, () => warn(`was not released within ${releaseGraceMs} ms.`))
  } catch (thrown) {
    warn(`could not be released: ${failureOf(thrown).message}`)
  }
}

/** A workspace that an agent may use until it is revoked. */
interface RevocableWorkspace {
  /** Opens the workspace on the first call. */
  workspace(): WritableWorkspace
  /** Whether something may have been changed through it. */
  touched(): boolean
  /**
   * Forbids all changes from now on, since the files are evidence, and ends the commands that still run. Returns their
   * promises.
   */
  revoke(): readonly Promise<unknown>[]
}

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
      throw new JuristError('aborted', 'The agent had to stop: its workspace can no longer be changed.', {
        reason: 'the trial has gone on without the agent',
      })
    use.touched = true
    return original
  }
  // A caller that knows the directory may change it.
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
  // By it, the settings of its commands are found.
  if ('sandbox' in original) Object.defineProperty(workspace, 'sandbox', { get: () => original.sandbox })
  return Object.freeze(workspace)
}

function joined({ signal }: RunOptions, stop: AbortSignal): AbortSignal {
  return signal === undefined ? stop : AbortSignal.any([signal, stop])
}
