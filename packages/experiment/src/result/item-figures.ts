import type { ItemResult } from './records.js'
import {
  failedByError,
  judgeTimedOut,
  trialChecks,
  trialEnvironmentProblem,
  trialJudges,
  trialStages,
} from './trial-evidence.js'
import {
  figureFields,
  type SummarizedTrial,
  summarizedFields,
  type Trial,
  type TrialFigures,
  type TrialStage,
} from './trial-figures.js'
import { reasonOf } from './trial-outcome.js'

/** The figures of a trial that the summary of a run needs. */
export function summarizedTrial(item: ItemResult): SummarizedTrial {
  return Object.assign(fieldsOf(item, summarizedFields), { failure: item.failure })
}

const longestReason = 400

export function figuresOf(item: ItemResult): TrialFigures {
  const { failure } = item
  const reason = reasonOf(item)
  const tried = triedIn(item)
  // Spreading takes ten times as long, in every trial of a run.
  return Object.assign(
    summarizedTrial(item),
    fieldsOf(item, figureFields),
    {
      failure: failure === null ? null : { infrastructure: failure.infrastructure },
      checks: trialChecks(item),
      stages: trialStages(item),
      judges: trialJudges(item),
      failedByError: failedByError(item),
      judgeTimedOut: judgeTimedOut(item),
      environmentProblem: trialEnvironmentProblem(item),
      reason: reason.length > longestReason ? `${reason.slice(0, longestReason - 1)}…` : reason,
    },
    tried === undefined ? undefined : { tried },
  )
}

function fieldsOf<Field extends keyof ItemResult>(item: ItemResult, fields: readonly Field[]): Pick<ItemResult, Field> {
  const known: { [field in keyof ItemResult]?: unknown } = {}
  for (const field of fields) if (item[field] !== undefined) known[field] = item[field]
  return known as Pick<ItemResult, Field>
}

const longest = 120

/**
 * The probe or the mutant that a trial tried, from the agent's `metadata.tried`, in a run whose repetitions of an item
 * each try something else. `undefined` if all repetitions try the same.
 */
function triedIn({ detail }: ItemResult): string | undefined {
  const tried = detail?.kind === 'agent' ? detail.invocation.metadata?.['tried'] : undefined
  return typeof tried === 'string' && tried !== '' ? tried.slice(0, longest) : undefined
}

/** Like `triedIn`, for a whole trial or its figures. */
export function triedOf(trial: Trial): string | undefined {
  return 'detail' in trial ? triedIn(trial) : trial.tried
}

/** Stored figures of other versions are not used: they are made again from the records. */
export const figuresVersion = 3

/**
 * Returns a function that reads parsed figures. Equal lists of stages, and equal judgments, are kept once.
 *
 * @throws TypeError for what is not the figures of a trial
 */
export function figuresReader(): (stored: unknown) => TrialFigures {
  const stages = shared<readonly TrialStage[]>((stages) => {
    let key = ''
    for (const { name, status } of stages) key += `${name}\n${status}\n`
    return key
  })
  const judges = shared<TrialFigures['judges']>((judges) => {
    let key = ''
    for (const path in judges) key += `${path}\n${judges[path]}\n`
    return key
  })
  return (stored) => {
    const trial = stored as TrialFigures
    if (typeof trial.itemId !== 'string' || typeof trial.scores !== 'object')
      throw new TypeError('These are not the figures of a trial.')
    return Object.assign(trial, { stages: stages(trial.stages), judges: judges(trial.judges) })
  }
}

/** Returns a function that replaces equal parts by one object, to save memory. */
function shared<Part>(keyOf: (part: Part) => string): (part: Part) => Part {
  const known = new Map<string, Part>()
  return (part) => {
    const key = keyOf(part)
    const same = known.get(key)
    if (same === undefined) known.set(key, part)
    return same ?? part
  }
}
