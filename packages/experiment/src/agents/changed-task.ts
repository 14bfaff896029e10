import type { AgentTask } from '@jurist/core'

/** A task as it is given by hand: without a signal, it cannot be stopped. */
export type GivenTask = Omit<AgentTask, 'signal'> & { readonly signal?: AbortSignal }

const neverAborted = new AbortController().signal

/** The task with a signal. */
export function wholeTask(task: GivenTask): AgentTask {
  return task.signal === undefined ? changedTask(task as AgentTask, { signal: neverAborted }) : (task as AgentTask)
}

/** The task with something else in it. What a runner makes only when it is asked for is still not made. */
export function changedTask(task: AgentTask, changes: Partial<AgentTask>): AgentTask {
  const changed = Object.entries(changes).map(([name, value]) => [name, { value, enumerable: true }])
  return Object.freeze(
    Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(task), ...Object.fromEntries(changed) }),
  ) as AgentTask
}
