import { failureOf } from '@jurist/core/internal'
import { withTimeout } from '@jurist/kit/timers'
import type { WorkspaceLease } from '../provision/provision.js'
import type { RunContext } from './run-context.js'
import type { Trial } from './trial.js'

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
