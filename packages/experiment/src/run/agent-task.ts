import { mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentTask } from '@jurist/core'
import type { Attempt } from './run-context.js'
import { trialName } from './trial.js'

/** The task of an attempt. */
export function agentTask(
  { run, trial, number }: Attempt,
  { workspace, signal, record }: Pick<AgentTask, 'workspace' | 'signal' | 'record'>,
  directory: AgentDirectory | null,
): AgentTask {
  const { runId, env } = run
  const { systemPrompt, model, itemTimeoutMs, name, variant } = run.settings
  const task = {
    prompt: trial.prompt,
    workspace,
    signal,
    timeoutMs: itemTimeoutMs,
    env,
    metadata: Object.freeze({
      experimentName: name,
      runId,
      itemId: trial.itemId,
      itemSlug: trial.item.slug,
      repetition: trial.repetition,
      variant,
      attempt: number,
    }),
    ...(record === undefined ? {} : { record }),
    ...(systemPrompt === null ? {} : { systemPrompt }),
    ...(model === null ? {} : { model }),
  }
  // Reading the property makes the directory: most agents never ask for one.
  if (directory !== null) Object.defineProperty(task, 'runDirectory', { enumerable: true, get: directory.make })
  return Object.freeze(task)
}

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
