import { mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Attempt } from './attempt.js'
import { trialName } from './trial.js'

/** The directory of an agent's own files, beside the results. */
export interface AgentDirectory {
  /** The directory, made by asking for it. */
  readonly make: () => string
  readonly removeIfEmpty: () => void
}

/** The directory that a task offers; `null` when the store keeps no files. */
export function agentDirectory({ bench, trial }: Attempt): AgentDirectory | null {
  const { directory } = bench
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
