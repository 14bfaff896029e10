import type { JsonObject } from '@jurist/core'
import { compare } from '@jurist/experiment/compare'
import { type RunScan, runScan } from '@jurist/experiment/internal/journal'
import {
  alikeTrials,
  failedByError,
  type JudgesSummary,
  judgesSummary,
  type RunSetup,
  readThreshold,
  readUndecidedJudges,
  resultWithItems,
  sequentialHeadline,
  sideName,
  type TrialName,
  testsCannotFailText,
  thresholdLines,
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
  /** Whether people labelled trials of the run. */
  readonly hasLabels: boolean
  /** How many failures were caused by a judge's error, which is not evidence about the agent. */
  readonly failedByError: number
  /** The runs of the same session, oldest first, including this one. Outside a session, only this one. */
  readonly variants: readonly RunEntry[]
  /** The warning about trials whose tests passed whatever they expected; `''` without any. */
  readonly testsCannotFail: string
  /** The judges that decided too little. */
  readonly undecidedJudges: readonly UndecidedJudge[]
  /** The progress of a run that stops when it is decided; `null` for others. */
  readonly sequential: SequentialDocument | null
  /** The result of the last scan; `null` if the run was never scanned. */
  readonly scan: RunScan | null
  /** The warnings of the store about this run, such as damaged lines. */
  readonly warnings: readonly string[]
}

export async function runDocument(result: RunResult, reader: RunReader): Promise<RunDocument> {
  const run = withoutItems(result)
  const kept = await reader.scan(result)
  const variants = variantsOf(result, await reader.entries())
  const warnings = reader.warnings().filter((warning) => warning.includes(result.id))
  return {
    revision: revisionOf(result),
    run,
    scoreKeys: Object.keys(run.scores),
    hasLabels: Object.keys(await reader.labels(result)).length > 0,
    failedByError: trialsOf(result).filter(failedByError).length,
    variants,
    testsCannotFail: testsCannotFailText(result),
    undecidedJudges: await readUndecidedJudges(result),
    sequential: await sequentialDocument(result, reader),
    scan: kept && { ...runScan(result, kept), findings: [] },
    warnings,
  }
}

/** The evidence of a run against the line where it stops, and what it says, in sentences. */
interface SequentialDocument {
  readonly items: number
  readonly planned: number
  /** To 1; `null`: settled by counting. */
  readonly evidence: number | null
  readonly line: number
  readonly lines: readonly string[]
}

async function sequentialDocument(run: RunResult, reader: RunReader): Promise<SequentialDocument | null> {
  const threshold = readThreshold(run)
  if (threshold !== undefined) return documentOf(threshold, thresholdLines(threshold))
  const name = sideName(run)
  const pair = run.sequential?.comparisons.find(({ baseline, candidate }) => candidate === name || baseline === name)
  if (pair === undefined) return null
  const other = await sideRun(run, pair.candidate === name ? pair.baseline : pair.candidate, reader)
  if (other === undefined) return null
  const [baseline, candidate] = pair.candidate === name ? [other, run] : [run, other]
  const comparison = compare(baseline, candidate, { ignoreConditions: true })
  const { sequential } = comparison
  if (sequential === undefined || sequential.planned === null) return null
  return documentOf({ ...sequential, planned: sequential.planned }, sequentialHeadline(comparison))
}

function documentOf(
  { items, planned, evidence, line }: Omit<SequentialDocument, 'lines' | 'evidence'> & { readonly evidence: number },
  lines: readonly string[],
): SequentialDocument {
  return { items, planned, evidence: Number.isFinite(evidence) ? evidence : null, line, lines }
}

/** The run that a plan names: by its id, or a variant of the same session. */
async function sideRun(run: RunResult, name: string, reader: RunReader): Promise<RunResult | undefined> {
  const variant = variantsOf(run, await reader.entries()).findLast((one) => `variant:${one.variant}` === name)
  return await reader.run(variant?.id ?? name)
}

function withoutItems(result: RunResult): RunDocument['run'] {
  const { items, trials, readItems, ...run } = { items: undefined, trials: undefined, readItems: undefined, ...result }
  return run
}

/**
 * Returns the entries of the runs of the same session, oldest first, including this one. Outside a session, only this
 * one.
 */
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

export function revisionOf(run: RunResult): string {
  const trials = trialsOf(run)
  return `${run.status}-${trials.length}-${run.endedAt ?? lastEnd(trials)}`
}

function lastEnd(items: readonly Trial[]): string {
  let last = ''
  for (const { endedAt } of items) if (endedAt > last) last = endedAt
  return last
}

/** The setup of a run, small enough to be cached for every run of an experiment. */
export function setupOf({ id, kind, lineage, conditions, configuration, code, dataset, jury }: RunResult): RunSetup {
  const { variedConditions } = configuration
  const varied: JsonObject = variedConditions === undefined ? {} : { variedConditions }
  return { id, kind, lineage, conditions, configuration: varied, code, dataset, jury }
}

/** Trials that did not pass for similar reasons. */
export interface ReasonGroup {
  readonly outcome: TrialOutcome
  readonly reason: string
  readonly count: number
  readonly first: TrialName
}

/** The reasons why the trials of a run did not pass, the most frequent first. */
export interface ReasonsDocument {
  readonly groups: readonly ReasonGroup[]
  /** The number of groups. `groups` contains the largest of them. */
  readonly total: number
}

const mostGroups = 50

/** Groups similar reasons of a run. */
export function reasonsDocument(run: RunResult): ReasonsDocument {
  const groups = alikeTrials(trialsOf(run)).flatMap(({ outcome, reason, trials }): readonly ReasonGroup[] => {
    const [first] = trials
    if (first === undefined) return []
    const { itemId, repetition } = first
    return [{ outcome, reason, count: trials.length, first: { itemId, repetition } }]
  })
  return { groups: groups.slice(0, mostGroups), total: groups.length }
}

export interface JudgesDocument extends JudgesSummary {
  readonly revision: string
}

/** Summarizes the judges of a run, their agreement, and the savings of a cascade. */
export async function judgesDocument(run: RunResult): Promise<JudgesDocument> {
  return { revision: revisionOf(run), ...judgesSummary((await resultWithItems(run)).items) }
}
