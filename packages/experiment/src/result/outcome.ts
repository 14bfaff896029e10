/** How the agent's part of a trial ended. `setup-error`: the agent never started; `cancelled`: the run was stopped. */
export type AgentOutcome = 'completed' | 'timeout' | 'error' | 'setup-error' | 'cancelled'

/** What the jury said; `not-judged`: no jury saw the trial. */
export type JudgedOutcome = 'pass' | 'fail' | 'abstain' | 'error' | 'not-judged'

/**
 * Whether a trial counts as passed. `null`: nothing was decided, and the trial is in no rate.
 *
 * @param infrastructure whether the failure that decided is the surroundings', not the agent's
 *
 * @example
 * passedOf('completed', 'fail', false) // false
 * passedOf('error', 'not-judged', true) // null
 */
export function passedOf(agent: AgentOutcome, judged: JudgedOutcome, infrastructure: boolean): boolean | null {
  switch (judged) {
    case 'pass':
      return true
    case 'fail':
      return false
    case 'abstain':
    case 'error':
      return null
    case 'not-judged':
      return withoutJury(agent, infrastructure)
    default:
      return judged satisfies never
  }
}

function withoutJury(agent: AgentOutcome, infrastructure: boolean): false | null {
  switch (agent) {
    case 'timeout':
      return false
    case 'error':
      return infrastructure ? null : false
    case 'completed':
    case 'setup-error':
    case 'cancelled':
      return null
    default:
      return agent satisfies never
  }
}
