import type { AgentTask } from '@jurist/core'

/** A task that is called by hand. Without a signal it cannot be cancelled. */
export type GivenTask = Omit<AgentTask, 'signal'> & { readonly signal?: AbortSignal }

const neverAborted = new AbortController().signal

/** A task always has a signal. */
export function wholeTask(task: GivenTask): AgentTask {
  return task.signal === undefined ? changedTask(task as AgentTask, { signal: neverAborted }) : (task as AgentTask)
}

/** The task with some changes. Properties that are made when they are read stay so. */
export function changedTask(task: AgentTask, changes: Partial<AgentTask>): AgentTask {
  const changed = Object.entries(changes).map(([name, value]) => [name, { value, enumerable: true }])
  return Object.freeze(
    Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(task), ...Object.fromEntries(changed) }),
  ) as AgentTask
}
