import { alikeTrials, trialsOf } from '@jurist/experiment/internal/results'
import type { RunResult, TrialOutcome } from '@jurist/experiment/result'
import type { TrialName } from './item.js'

/** Trials that did not pass for reasons that are alike. */
export interface ReasonGroup {
  readonly outcome: TrialOutcome
  /** The reason of the first trial. */
  readonly reason: string
  readonly count: number
  readonly first: TrialName
}

/** Why the trials of a run did not pass, the most frequent reason first. */
export interface ReasonsDocument {
  readonly groups: readonly ReasonGroup[]
  /** The number of groups. `groups` holds the largest of them. */
  readonly total: number
}

const mostGroups = 50

/** The reasons of a run, alike ones together. */
export function reasonsDocument(run: RunResult): ReasonsDocument {
  const groups = alikeTrials(trialsOf(run)).flatMap(({ outcome, reason, trials }): readonly ReasonGroup[] => {
    const [first] = trials
    if (first === undefined) return []
    const { itemId, repetition } = first
    return [{ outcome, reason, count: trials.length, first: { itemId, repetition } }]
  })
  return { groups: groups.slice(0, mostGroups), total: groups.length }
}
