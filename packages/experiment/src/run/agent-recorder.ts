import type { JournalEvent } from '@jurist/core'
import type { Attempt } from './attempt.js'
import type { Limit } from './limited.js'

/** Takes what an agent records during its turn. */
export interface AgentRecorder {
  readonly record: (event: JournalEvent) => void
  /** Whether anything was recorded. */
  used(): boolean
  /** The turn begins; it is cut through this limit when it costs too much. */
  begin(limit: Limit): void
  /** The turn is over: what comes now is left out, with one warning. */
  end(): void
}

/** Hands what an agent records on to the journal, and adds up what its model calls cost. */
export function agentRecorder({ bench, trial, journal }: Attempt): AgentRecorder {
  const { perItemUsd } = bench.settings.budget
  let limit: Limit | undefined
  let costUsd = 0
  let used = false
  let over = false
  let warned = false

  function warnOfLate(): void {
    if (!warned) bench.warn('record-late', 'The agent recorded something after its trial.', trial.itemId)
    warned = true
  }

  return {
    used: () => used,
    record(event) {
      if (over) return warnOfLate()
      used = true
      journal.record(event)
      if (perItemUsd === undefined || event?.type !== 'model-call') return
      costUsd += event.costUsd ?? 0
      if (costUsd > perItemUsd)
        limit?.cut({ by: 'cost', message: `The trial has cost more than ${perItemUsd} US dollars.` })
    },
    begin(given) {
      limit = given
    },
    end() {
      over = true
    },
  }
}
