import { mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Attempt, trialName } from './run-context.js'

/** The directory for an agent's own files, next to the results. */
export interface AgentDirectory {
  /** Makes the directory on the first call. */
  readonly make: () => string
  readonly removeIfEmpty: () => void
}

/** The directory that a task offers; `null` if the store keeps no files. */
export function agentDirectory({ run, trial }: Attempt): AgentDirectory | null {
  const { directory } = run
  if (directory === null) return null
  let made: string | undefined
  return {
    make() {
      if (made !== undefined) return made
      made = join(directory, 'agent', trialName(trial))
      mkdirSync(made, { recursive: true })
      return made
    },
    removeIfEmpty() {
      if (made === undefined) return
      try {
        rmdirSync(made)
      } catch {
        // The agent has written something: that is what the directory is for.
      }
    },
  }
}
