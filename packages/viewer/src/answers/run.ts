import type { JsonObject } from '@jurist/core'
import {
  alikeTrials,
  failedByError,
  type JudgesSummary,
  judgesSummary,
  type RunSetup,
  readUndecidedJudges,
  resultWithItems,
  type TrialName,
  testsCannotFailText,
  trialsOf,
  type UndecidedJudge,
} from '@jurist/experiment/internal/results'
import type { ExperimentResult, RunResult, Trial, TrialOutcome } from '@jurist/experiment/result'
import type { RunEntry } from '@jurist/experiment/store'
import type { RunReader } from './run-reader.js'

/** A run without its trials. */
export interface RunDocument {
  readonly revision: string
  readonly run: Omit<ExperimentResult, 'items'>
  readonly scoreKeys: readonly string[]
  /** Fails caused by a judge's error, which say nothing about the agent. */
  readonly failedByError: number
  /** The runs of the same session, oldest first, this one included; only this one outside a session. */
  readonly variants: readonly RunEntry[]
  /** What is said of trials whose tests passed whatever they expected; `''` for none. */
  readonly testsCannotFail: string
  /** The judges that decided too little. */
  readonly undecidedJudges: readonly UndecidedJudge[]
  /** The warnings of the store about this run, such as damaged lines. */
  readonly warnings: readonly string[]
}

/** Everything about a run except its trials. */
export async function runDocument(result: RunResult, reader: RunReader): Promise<RunDocument> {
  const run = withoutItems(result)
  const variants = variantsOf(result, await reader.entries())
  const warnings = reader.warnings().filter((warning) => warning.includes(result.id))
  return {
    revision: revisionOf(result),
    run,
    scoreKeys: Object.keys(run.scores),
    failedByError: trialsOf(result).filter(failedByError).length,
    variants,
    testsCannotFail: testsCannotFailText(result),
    undecidedJudges: await readUndecidedJudges(result),
    warnings,
  }
}

function withoutItems(result: RunResult): RunDocument['run'] {
  const { items, trials, readItems, ...run } = { items: undefined, trials: undefined, readItems: undefined, ...result }
  return run
}

/** The entries of the runs of the same session, oldest first, this one included; only this one outside a session. */
export function variantsOf(
  run: Pick<RunResult, 'id' | 'session' | 'experimentName'>,
  entries: readonly RunEntry[],
): readonly RunEntry[] {
  return entries
    .filter(
      ({ id, session, experimentName }) =>
        id === run.id || (session !== null && session === run.session && experimentName === run.experimentName),
    )
    .toReversed()
}

/** Changes when the run changes: its status, its number of trials, or the time when it or its last trial ended. */
export function revisionOf(run: RunResult): string {
  const trials = trialsOf(run)
  return `${run.status}-${trials.length}-${run.endedAt ?? lastEnd(trials)}`
}

function lastEnd(items: readonly Trial[]): string {
  let last = ''
  for (const { endedAt } of items) if (endedAt > last) last = endedAt
  return last
}

/** How a run was set up: small enough to be cached for every run of an experiment. */
export function setupOf({ id, kind, lineage, conditions, configuration, code, dataset, jury }: RunResult): RunSetup {
  const { variedConditions } = configuration
  const varied: JsonObject = variedConditions === undefined ? {} : { variedConditions }
  return { id, kind, lineage, conditions, configuration: varied, code, dataset, jury }
}

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

/** The judges of a run, beside each other. */
export interface JudgesDocument extends JudgesSummary {
  readonly revision: string
}

/** What each judge of a run did, how far they agree, and what a cascade saved. */
export async function judgesDocument(run: RunResult): Promise<JudgesDocument> {
  return { revision: revisionOf(run), ...judgesSummary((await resultWithItems(run)).items) }
}
