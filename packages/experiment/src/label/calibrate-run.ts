import type { ContextInput, Judge, Judgment, Jury } from '@jurist/core'
import { calibrate } from '../calibrate/calibrate.js'
import type { JudgesCalibration } from '../calibrate/calibrate-judges.js'
import { judgesCalibration, runName } from '../calibrate/calibrate-judges.js'
import { type CalibrateOptions, withinBudget } from '../calibrate/calibrate-options.js'
import type { CalibrationResult } from '../calibrate/calibration.js'
import { membersOf } from '../calibrate/calibration-trial.js'
import { recorded } from '../calibrate/recorded.js'
import type { DatasetItem } from '../dataset/item.js'
import type { RejudgeContext } from '../rejudge/rejudge-options.js'
import { counted } from '../result/amounts.js'
import type { ExperimentResult } from '../result/records.js'
import type { Reporter } from '../run/events.js'
import { memoryStore } from '../store/memory-store.js'
import type { ResultStore } from '../store/store.js'
import { estimateRun, type RunEstimate } from './estimate-run.js'
import { itemOfTrial, judgedTrials, type LabelledTrial, labelledItem, labelledTrials } from './judged-trials.js'
import { currentLabels, type Label } from './label.js'
import {
  type JudgeOnLabels,
  judgeOnLabels,
  type LabelAgreement,
  type LabelDisagreement,
  labelAgreement,
  labelDisagreements,
} from './label-agreement.js'
import { labelOf, labelsByTrial } from './labelled-trials.js'

/** How the judges of a run are measured against human labels. */
export interface CalibrateRunOptions {
  /** A stored run with its trials. */
  readonly run: ExperimentResult
  /** The lines of a file of labels. */
  readonly labels: readonly Label[]
  /** The file, for the command that labels a trial again. Default: the one beside the run. */
  readonly labelsFile?: string
  /** Judges and juries by name that judge the stored trials again. Default: none; only the stored judgments are measured. */
  readonly judges?: Readonly<Record<string, Judge | Jury>>
  /** Makes the context of a stored trial for `judges`, as for `rejudge`. Default: `storedContext()`, without kept workspaces. */
  readonly context?: RejudgeContext
  /** Where the runs of `judges` are kept. Default: in memory. */
  readonly store?: ResultStore
  /** Judgments that run concurrently. Default 4. */
  readonly concurrency?: number
  /** Milliseconds for one judgment. Default 600,000. */
  readonly judgeTimeoutMs?: number
  /** Stops when `judges` have cost this much together, in US dollars. Default: no limit. */
  readonly budgetUsd?: number
  readonly askThrough?: CalibrateOptions['askThrough']
  readonly signal?: AbortSignal
  readonly onEvent?: Reporter
}

/** The agreement of the judges of a run with people, and of people with each other. */
export interface RunCalibration extends JudgesCalibration {
  /** The labelled run. */
  readonly run: string
  /** `null`: the labels are beside the run. */
  readonly labelsFile: string | null
  readonly people: LabelAgreement & {
    readonly annotators: readonly string[]
    /** Trials with a pass or a fail of at least one person. */
    readonly trials: number
    /** Trials among these that as many people pass as fail, so that no judge is scored on them. */
    readonly undecided: number
  }
  /** Each judge by how far people agree on the trial: an error of the judge, or noise of the labels. */
  readonly onLabels: readonly JudgeOnLabels[]
  /** Where a judge and the people differ: first the trials on which people agree. */
  readonly disagreements: readonly LabelDisagreement[]
  /** The true pass rate of the run. */
  readonly estimate: RunEstimate
}

/**
 * Measures judges against people's labels of the trials of a run. The stored judgments of the run's jury (`jury`) and of
 * each member are measured without judging anything; `judges` judge the stored trials again, and their runs are stored
 * with the kind `judge`. The label of a trial is that of the majority. Repetitions of an item depend on each other:
 * intervals rest on items.
 *
 * @throws `option-invalid` where no label belongs to a trial of the run that its agent completed, and what `calibrate` throws
 *
 * @example
 * import { calibrateRun, readLabels } from '@jurist/experiment/label'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * const labels = await readLabels('labels.jsonl')
 * if (labels.length > 0) console.log((await calibrateRun({ run: aResult(), labels })).table)
 */
export async function calibrateRun(options: CalibrateRunOptions): Promise<RunCalibration> {
  const { run, judges = {} } = options
  const decided = currentLabels(options.labels).filter(({ label }) => label !== 'skip')
  const { trials, labels, notes } = labelledTrials('calibrateRun', run, decided)
  const again = await judgedAgain(options, trials)
  const made = [...again.made]
  const stored = storedJudgments(trials)
  for (const [name, said] of stored) {
    const known = Object.hasOwn(judges, name) ? `${name} (stored)` : name
    made.push(await calibrate({ ...settingsOf(trials), ...replay(known, said, run) }))
  }
  const several = judgesCalibration(run.experimentName, made)
  const byTrial = labelsByTrial(labels)
  const isStored = new Set(Object.keys(judges))
  return {
    ...several,
    run: run.id,
    labelsFile: options.labelsFile ?? null,
    // Replaying stored judgments does not make a run of its own.
    table: several.table.map((row) => (isStored.has(row.judge) ? row : { ...row, run: run.id })),
    people: { ...labelAgreement(labels), ...countsOf(trials, labels) },
    onLabels: Object.entries(several.calibrations).map(([judge, { result }]) =>
      judgeOnLabels(judge, result.items, byTrial),
    ),
    disagreements: Object.entries(several.calibrations).flatMap(([judge, calibration]) =>
      judge === sameAsJury(stored) ? [] : labelDisagreements(judge, calibration, trials, byTrial),
    ),
    estimate: estimateRun(run, options.labels),
    notes: [...again.notes, ...sampleNotes(labels), ...notes, ...several.notes],
  }
}

/** The judges that judge the stored trials again, one after another, within one budget. */
async function judgedAgain(options: CalibrateRunOptions, trials: readonly LabelledTrial[]) {
  const { run, judges = {}, store = memoryStore(), concurrency, judgeTimeoutMs, askThrough } = options
  const { signal, onEvent } = withinBudget(options)
  const given = Object.entries({ concurrency, judgeTimeoutMs, askThrough, signal }).filter(
    ([, value]) => value !== undefined,
  )
  const made: CalibrationResult[] = []
  const notes: string[] = []
  for (const [name, judge] of Object.entries(judges)) {
    if (signal?.aborted === true) {
      notes.push(`${name} is not measured: judging was stopped.`)
      continue
    }
    await using stored = judgedTrials({ ...options, onEvent }, trials)
    const { input, onEvent: closing } = stored
    const settings = { ...Object.fromEntries(given), ...settingsOf(trials), ...named(name, judge, run) }
    const calibration = await calibrate({ ...settings, input, onEvent: closing, store })
    made.push(calibration)
    notes.push(...notShownNotes(name, calibration))
  }
  return { made, notes }
}

/** Why trials could not be shown to a judge, such as a workspace that was not kept. */
function notShownNotes(name: string, { result }: CalibrationResult): readonly string[] {
  const failures = result.items.flatMap(({ failure }) => (failure?.origin === 'setup' ? [failure] : []))
  const [first] = failures
  return first === undefined
    ? []
    : [`${name}: ${counted(failures.length, 'trial')} could not be shown to it. ${first.message}`]
}

function settingsOf(trials: readonly LabelledTrial[]): Pick<CalibrateOptions, 'items' | 'cluster'> {
  return { items: trials.map(labelledItem), cluster: itemOfTrial(trials) }
}

type Candidate = Pick<CalibrateOptions, 'name' | 'candidate' | 'candidateName'>

function named(candidateName: string, candidate: Judge | Jury, { experimentName }: ExperimentResult): Candidate {
  return { name: runName(experimentName, candidateName), candidate, candidateName }
}

/** A judge that replays stored judgments. */
function replay(name: string, said: ReadonlyMap<string, Judgment>, run: ExperimentResult) {
  const judge = recorded(({ metadata }) => said.get(String(metadata['trial'])), { name })
  const input = ({ id, task }: DatasetItem): ContextInput => ({ goal: task, metadata: { trial: id } })
  return { ...named(name, judge, run), input, store: memoryStore() }
}

/** The stored judgments of the jury and of each member, by trial. */
function storedJudgments(trials: readonly LabelledTrial[]): ReadonlyMap<string, ReadonlyMap<string, Judgment>> {
  const jury = new Map<string, Judgment>()
  const members = new Map<string, Map<string, Judgment>>()
  for (const { name, item } of trials) {
    if (item.verdict === null) continue
    jury.set(name, item.verdict.aggregated)
    for (const [member, judgment] of membersOf(item.verdict)) {
      const said = members.get(member) ?? new Map<string, Judgment>()
      members.set(member, said.set(name, judgment))
    }
  }
  return new Map([['jury', jury], ...members])
}

/** The member of a jury of one that always agrees with the jury: measuring it would add nothing. */
function sameAsJury(stored: ReturnType<typeof storedJudgments>): string | undefined {
  const [[, jury] = [], [member, said] = [], ...others] = [...stored]
  if (said === undefined || others.length > 0) return undefined
  const isSame = [...said].every(([trial, { status }]) => jury?.get(trial)?.status === status)
  return isSame ? member : undefined
}

function countsOf(trials: readonly LabelledTrial[], labels: readonly Label[]) {
  const annotators = [...new Set(labels.map(({ annotator }) => annotator))].sort()
  const undecided = trials.filter((trial) => labelOf(trial.labels) === null).length
  return { annotators, trials: trials.length, undecided }
}

function sampleNotes(labels: readonly Label[]): readonly string[] {
  const chosen = labels.filter(({ use }) => use !== 'certify').length
  if (chosen === 0) return []
  return [
    `${counted(chosen, 'label')} of ${labels.length} come from a stratified or chosen sample: these figures of the judges do not stand for the whole run.`,
  ]
}
