import { basename } from 'node:path'
import type { Judge, Jury } from '@jurist/core'
import type { ColumnMap, ExperimentOptions } from '@jurist/experiment'
import type { Dataset, DatasetItem } from '@jurist/experiment/dataset'
import { openFrom, storedItem } from '@jurist/experiment/internal'
import { trialText } from '@jurist/experiment/internal/results'
import { usageInvalid } from '@jurist/experiment/plugin'
import type { ExperimentResult, ItemResult } from '@jurist/experiment/result'
import type { Results } from '../../command-kit/results-store.js'
import type { judgesOfItems } from '../rejudge.js'
import { type Cleaning, cleaning } from './cleaning.js'
import { failureOf, type TrialFailure } from './failure.js'
import { type TrialFiles, trialFiles } from './trial-files.js'

/** The parts of the project that promoting needs. */
export interface PromotePlace {
  readonly results: Results
  readonly run: ExperimentResult
  readonly experiment: ExperimentOptions
  readonly jury: Jury | Judge
  /** Its name in the config, where it was named. */
  readonly juryName: string | undefined
  readonly ofItems: NonNullable<ReturnType<typeof judgesOfItems>>
  /** The directory or the file of rows of the dataset that gets the item. */
  readonly into: string
  /** The names of the columns of its rows; `null`: it is a directory. */
  readonly columns: ColumnMap | null
  /** Whether it is the dataset of the experiment, whose jury its items have. */
  readonly isOwn: boolean
  /** The dataset there; `null`: it is made. */
  readonly dataset: Dataset | null
  /** While files are left out it ends that, and what was found is written; before that it ends the command. */
  readonly signal: AbortSignal
  /** Prints a line of progress. */
  readonly note: (line: string) => void
}

export interface PromoteChoices {
  readonly name: string | undefined
  readonly minimise: boolean
  readonly live: boolean
  readonly judge: string | undefined
  readonly before: string | undefined
  readonly reference: string | undefined
  readonly budgetMinutes: number
  readonly dryRun: boolean
  /** Names of other trials that failed alike. */
  readonly alike: readonly string[]
}

/** A failed trial that becomes an item. */
export interface Promotion extends PromotePlace, PromoteChoices, AsyncDisposable {
  readonly item: ItemResult
  /** As `id#repetition`. */
  readonly trial: string
  readonly failure: TrialFailure
  /** The item of the dataset that the trial was of. */
  readonly source: DatasetItem
  readonly files: TrialFiles
  readonly clean: Cleaning
  readonly projectDirectory: string
}

/** The failure of a trial that can be promoted. Everything else is refused with what to do. */
export function promotable(item: ItemResult, judge: string | undefined): TrialFailure {
  const trial = trialText(item)
  const refuse = (problem: string) => usageInvalid('item', `${trial} ${problem}`)
  if (item.passed === true) throw refuse('passed. Only a failure becomes an item.')
  if (item.verdict === null && item.failure === null)
    throw refuse('has no verdict. Judge it first: jurist rejudge RUN --jury NAME')
  if (item.failure?.infrastructure === true || item.agent === 'setup-error' || item.agent === 'cancelled')
    throw refuse('failed for a reason of the infrastructure, which says nothing of the agent.')
  if (item.passed === null) throw refuse('is undecided. Judge it again: jurist rejudge RUN')
  const failure = failureOf(item, judge)
  if (failure !== undefined) return failure
  if (judge === undefined) throw refuse('failed, and no judge says why.')
  throw usageInvalid('--judge', `The judge "${judge}" did not fail ${trial}.`)
}

/** Opens a failed trial with its files, if they were kept. */
export async function openPromotion(
  place: PromotePlace,
  item: ItemResult,
  failure: TrialFailure,
  choices: PromoteChoices,
): Promise<Promotion> {
  const { results, run, experiment, columns, into } = place
  const projectDirectory = experiment.projectDirectory ?? process.cwd()
  const trial = trialText(item)
  const source = await sourceItem(experiment, item)
  const files = await trialFiles(run, item, { results, before: choices.before, projectDirectory })
  if (columns !== null && Object.keys(files.snapshots.before.files).length + files.changed.length > 0) {
    await files[Symbol.asyncDispose]()
    throw usageInvalid(
      '--into',
      `${basename(into)} holds rows, and ${trial} has files. Name a directory: --into regressions`,
    )
  }
  const dispose = () => files[Symbol.asyncDispose]()
  const opened = { item, trial, failure, source, files, clean: cleaning(), projectDirectory }
  return { ...place, ...choices, ...opened, [Symbol.asyncDispose]: dispose }
}

/** The item of the dataset that the trial was of, if it is still the same; else what the trial recorded. */
async function sourceItem({ dataset }: ExperimentOptions, item: ItemResult): Promise<DatasetItem> {
  const stored = storedItem(item)
  if (typeof dataset !== 'string' && !(typeof dataset === 'object' && 'path' in dataset)) return stored
  const opened = await openFrom(dataset as string).catch(() => undefined)
  const now = await opened?.item(item.itemId).catch(() => undefined)
  return now !== undefined && now.hash === item.itemHash ? now : stored
}
