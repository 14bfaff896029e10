import type { AgentOutcome, JudgedOutcome } from './records.js'
import type { Counts } from './summary.js'
import type { TrialFigures } from './trial-figures.js'

/** Counts how trials ended. More trials than were planned count as planned. */
export function countsOf(items: readonly TrialFigures[], planned: number): Counts {
  const agent: Record<AgentOutcome, number> = { completed: 0, timeout: 0, error: 0, 'setup-error': 0, cancelled: 0 }
  const judged: Record<JudgedOutcome, number> = { pass: 0, fail: 0, abstain: 0, error: 0, 'not-judged': 0 }
  let [passes, fails, infrastructureFailures] = [0, 0, 0]
  for (const item of items) {
    agent[item.agent] += 1
    judged[item.judged] += 1
    if (item.passed === true) passes += 1
    if (item.passed === false) fails += 1
    if (item.failure?.infrastructure === true) infrastructureFailures += 1
  }
  const run = items.length
  const decided = passes + fails
  return {
    planned: Math.max(planned, run),
    run,
    notRun: Math.max(planned - run, 0),
    passes,
    fails,
    undecided: run - decided,
    decided,
    agent,
    judged,
    infrastructureFailures,
  }
}

/** Passes of the decided trials; `null` when nothing was decided. */
export function passRateOf({ passes, decided }: Counts): number | null {
  return decided === 0 ? null : passes / decided
}
