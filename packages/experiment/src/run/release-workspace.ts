import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { failureOf } from '@jurist/core/internal'
import { withTimeout } from '@jurist/kit/timers'
import type { WorkspaceLease } from '../provision/provision.js'
import { type Attempted, type RunContext, type Trial, trialName } from './run-context.js'

/** The workspace of a trial, kept next to its results. */
export interface KeptWorkspace {
  /** Relative to the directory of the run. */
  readonly path: string
  /** Deletes it again. */
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
    await lease.keepAt(directory)
    return { path, discard: () => rm(directory, { recursive: true, force: true }) }
  } catch (thrown) {
    run.warn('workspace-not-kept', `The workspace could not be kept: ${failureOf(thrown).message}`, trial.itemId)
    return null
  }
}

/** Whether the workspace never held anything: it began empty and was not touched. */
export function isUntouched({ setup, turn }: Attempted, { origin }: WorkspaceLease): boolean {
  return origin['kind'] === 'empty' && !setup.filled && !turn.touched
}

const graceMs = 30_000

/** Releases a workspace. A failure, or more than 30 seconds, is a warning. */
export async function releaseWorkspace(run: RunContext, { itemId }: Trial, lease: WorkspaceLease): Promise<void> {
  const warn = (problem: string) => run.warn('lease-kept', `The workspace ${problem}`, itemId)
  try {
    await withTimeout(lease[Symbol.asyncDispose](), graceMs, () => warn(`was not released within ${graceMs} ms.`))
  } catch (thrown) {
    warn(`could not be released: ${failureOf(thrown).message}`)
  }
}
