import type { Agent } from '@jurist/core'

const recorded = new WeakSet<object>()

/**
 * Marks an agent that repeats what was recorded elsewhere. The time of its trials is the `elapsedMs` that it says, and 0 where it
 * says none: how long the repetition took says nothing, and no figure counts it.
 */
export function recordedAgent(agent: Agent): Agent {
  recorded.add(agent)
  return agent
}

/** Whether `recordedAgent` marked an agent. */
export function isRecordedAgent(agent: object): boolean {
  return recorded.has(agent)
}
