import type { Agent } from 'jurist'

/** Changes nothing: the floor. An item that it passes is no task. */
export const idle: Agent = () => ({ status: 'completed', costUsd: 0 })
