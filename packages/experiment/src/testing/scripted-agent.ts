import { setTimeout } from 'node:timers/promises'
import type { Agent, AgentTask, JournalEvent } from '@jurist/core'
import { failureOf } from '@jurist/core/internal'
import type { ExperimentInvocation } from '../invocation.js'

/**
 * One thing that a scripted agent does. `fail` ends it with an error of this message, the fields of `answer` override
 * those of its invocation.
 */
export type ScriptedStep =
  | { readonly write: string; readonly text: string }
  | { readonly remove: string }
  | { readonly record: JournalEvent }
  | { readonly sleepMs: number }
  | { readonly fail: string }
  | { readonly answer: Partial<ExperimentInvocation> }

/**
 * An agent that follows a script: it writes and removes files of its workspace, records events, sleeps, fails. It ends
 * `completed`, or `cancelled` as soon as the signal fires; output from before a failure is kept.
 *
 * @param steps what to do, or a function that decides by the task
 *
 * @example
 * import { scriptedAgent } from '@jurist/experiment/testing'
 *
 * scriptedAgent([{ write: 'README.md', text: '# Hello' }, { answer: { costUsd: 0.02 } }])
 */
export function scriptedAgent(steps: readonly ScriptedStep[] | ((task: AgentTask) => readonly ScriptedStep[])): Agent {
  return async function scriptedAgent(task): Promise<ExperimentInvocation> {
    let invocation: ExperimentInvocation = { status: 'completed' }
    for (const step of typeof steps === 'function' ? steps(task) : steps) {
      if (task.signal.aborted) break
      if ('fail' in step) return { ...invocation, status: 'error', failure: failureOf(new Error(step.fail)) }
      if ('answer' in step) invocation = { ...invocation, ...step.answer }
      else await perform(step, task)
    }
    return task.signal.aborted ? { ...invocation, status: 'cancelled' } : invocation
  }
}

async function perform(
  step: Exclude<ScriptedStep, { readonly fail: string } | { readonly answer: object }>,
  { workspace, signal, record }: AgentTask,
): Promise<void> {
  if ('write' in step) await workspace.write(step.write, step.text)
  else if ('remove' in step) await workspace.remove(step.remove)
  else if ('record' in step) record?.(step.record)
  // The signal ends the sleep by a throw; the caller looks at the signal itself.
  else await setTimeout(step.sleepMs, undefined, { signal }).catch(() => undefined)
}
