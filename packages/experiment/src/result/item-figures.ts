import type { ItemResult } from './records.js'
import {
  failedByError,
  judgeTimedOut,
  trialChecks,
  trialEnvironmentProblem,
  trialJudges,
  trialStages,
} from './trial-evidence.js'
import { type SummarizedTrial, summarizedFields, type Trial, type TrialFigures, tableFields } from './trial-figures.js'
import { reasonOf } from './trial-outcome.js'

/** The figures of a trial that the summary of a run needs. */
export function summarizedTrial(item: ItemResult): SummarizedTrial {
  return { ...chosen(item, summarizedFields), failure: item.failure }
}

const longestReason = 400

/**
 * The figures of a trial.
 */
export function figuresOf(item: ItemResult): TrialFigures {
  const reason = reasonOf(item)
  const tried = triedIn(item)
  return {
    ...chosen(item, figureFields),
    failure: item.failure === null ? null : { infrastructure: item.failure.infrastructure },
    checks: trialChecks(item),
    stages: trialStages(item),
    judges: trialJudges(item),
    failedByError: failedByError(item),
    judgeTimedOut: judgeTimedOut(item),
    environmentProblem: trialEnvironmentProblem(item),
    reason: reason.length > longestReason ? `${reason.slice(0, longestReason - 1)}…` : reason,
    ...(tried !== undefined && { tried }),
  }
}

const figureFields = [...summarizedFields, ...tableFields]

/** Some fields of a trial; one that is absent stays absent. */
function chosen<Field extends keyof ItemResult>(item: ItemResult, fields: readonly Field[]): Pick<ItemResult, Field> {
  const some: Partial<Record<Field, unknown>> = {}
  for (const field of fields) if (item[field] !== undefined) some[field] = item[field]
  return some as Pick<ItemResult, Field>
}

const longest = 120

/**
 * What a trial tried, in the words of its agent (`metadata.tried`): the probe or the mutant of a run in which each repetition
 * of an item tries something else. `undefined` where all try the same.
 */
function triedIn({ detail }: ItemResult): string | undefined {
  const tried = detail?.kind === 'agent' ? detail.invocation.metadata?.['tried'] : undefined
  return typeof tried === 'string' && tried !== '' ? tried.slice(0, longest) : undefined
}

/** As `triedIn`, of a whole trial or of its figures. */
export function triedOf(trial: Trial): string | undefined {
  return 'detail' in trial ? triedIn(trial) : trial.tried
}
