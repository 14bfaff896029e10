import type { Probe } from '../probe.js'
import { idleName } from '../probe-plan.js'

/** The agent that does nothing. */
export const nothingProbes: readonly Probe[] = [
  {
    name: idleName,
    pattern: 'nothing',
    what: 'Changes nothing and says nothing.',
    remedy: 'Make the task one that the workspace does not solve already, or let a judge demand the change.',
    applies: () => true,
    act: async () => undefined,
  },
]
