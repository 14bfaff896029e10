import type { JsonObject, JudgmentContext } from '@jurist/core'
import { optionInvalid } from '@jurist/core/internal'
import { commandLine } from '@jurist/kit/command-line'
import type { CalibrateOptions } from '../calibrate/calibrate-options.js'
import type { DatasetItem } from '../dataset/item.js'
import type { RejudgeContext } from '../rejudge/rejudge-options.js'
import { disposeOf } from '../rejudge/rejudge-trial.js'
import { storedContext } from '../rejudge/stored-context.js'
import { storedItem } from '../rejudge/stored-trial.js'
import { counted } from '../result/amounts.js'
import type { ExperimentResult, ItemResult } from '../result/records.js'
import { trialText } from '../result/trial-figures.js'
import type { Reporter } from '../run/events.js'
import type { Label } from './label.js'
import { labelOf, labelsByTrial } from './labelled-trials.js'

/** A stored trial with its labels. */
export interface LabelledTrial {
  readonly name: string
  readonly run: string
  readonly item: ItemResult
  readonly labels: readonly Label[]
}

interface OfRun {
  readonly trials: readonly LabelledTrial[]
  /** Labels of other runs are left out. */
  readonly labels: readonly Label[]
  /** Notes about labels that do not count. */
  readonly notes: readonly string[]
}

/**
 * The completed trials of a run that have labels, and notes about the other labels.
 *
 * @param caller for the message
 * @throws `option-invalid` where no label belongs to a completed trial
 */
export function labelledTrials(
  caller: string,
  { id, items, lineage }: ExperimentResult,
  given: readonly Label[],
): OfRun {
  const labels = given.filter(({ run = null }) => run === null || run === id || run === lineage?.root)
  const byTrial = labelsByTrial(labels)
  const stored = new Map(items.map((item) => [trialText(item), item]))
  const completed = items.filter(({ agent }) => agent === 'completed')
  const trials = completed.flatMap((item) => {
    const name = trialText(item)
    const own = byTrial.get(name)
    return own === undefined ? [] : [{ name, run: id, item, labels: own }]
  })
  const foreign = leftOut(
    given.filter((label) => !labels.includes(label)),
    'of another run',
  )
  if (trials.length > 0) return { trials, labels, notes: [...foreign, ...otherLabels(id, labels, stored)] }
  const why =
    given.length === 0
      ? 'there is no pass or fail among the labels'
      : `none of ${counted(given.length, 'label')} is of a completed trial of run ${id}`
  optionInvalid('labels', `${caller}: ${why}. Label trials of it: ${commandLine('label', id)}`)
}

function otherLabels(
  run: string,
  labels: readonly Label[],
  stored: ReadonlyMap<string, ItemResult>,
): readonly string[] {
  const unknown = labels.filter((label) => !stored.has(trialText(label)))
  const unfinished = labels.filter((label) => {
    const item = stored.get(trialText(label))
    return item !== undefined && item.agent !== 'completed'
  })
  return [
    ...leftOut(unknown, `of trials that run ${run} does not have`),
    ...leftOut(unfinished, 'of trials whose agent did not complete'),
  ]
}

function leftOut(labels: readonly Label[], what: string): readonly string[] {
  return labels.length === 0 ? [] : [`${counted(labels.length, 'label')} ${what}${namesOf(labels)}: left out.`]
}

function namesOf(labels: readonly Label[]): string {
  const names = [...new Set(labels.map(trialText))]
  return ` (${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''})`
}

/** A trial as a labelled item. Judges never see its metadata: contexts have their own. */
export function labelledItem({ name, run, item, labels }: LabelledTrial): DatasetItem {
  const label = labelOf(labels)
  const annotators = Object.fromEntries(labels.map((one) => [one.annotator, one.label]))
  const trial: JsonObject = { run, itemId: item.itemId, repetition: item.repetition }
  return { ...storedItem(item), id: name, metadata: { trial, annotators, ...(label === null ? {} : { label }) } }
}

/** The item of a labelled item, since repetitions of an item depend on each other. */
export function itemOfTrial(trials: readonly LabelledTrial[]): (item: Pick<DatasetItem, 'id'>) => string {
  const itemIds = new Map(trials.map(({ name, item }) => [name, item.itemId]))
  return ({ id }) => itemIds.get(id) ?? id
}

/** The run of trials that are judged again. */
export interface JudgedRun {
  readonly run: ExperimentResult
  /** Default: `storedContext()`, without kept workspaces. */
  readonly context?: RejudgeContext
  readonly onEvent?: Reporter
}

/**
 * The contexts of stored trials for a candidate. Files made for a context are removed when its trial is judged, or at the
 * end.
 */
export function judgedTrials(
  { run, context = storedContext({ workspaces: 'none' }), onEvent }: JudgedRun,
  trials: readonly LabelledTrial[],
): Required<Pick<CalibrateOptions, 'input' | 'onEvent'>> & AsyncDisposable {
  const byName = new Map(trials.map(({ name, item }) => [name, item]))
  const opened = new Map<string, JudgmentContext>()
  const close = async (name: string) => {
    const made = opened.get(name)
    opened.delete(name)
    if (made !== undefined) await disposeOf(made)
  }
  return {
    async input({ id }, signal) {
      const item = byName.get(id)
      if (item === undefined) throw new Error(`There is no trial ${id}.`)
      const made = await context(item, run, signal)
      if ('skip' in made) throw new Error(made.message)
      opened.set(id, made)
      return made
    },
    async onEvent(event) {
      if (event.type === 'item-end') await close(event.itemId)
      await onEvent?.(event)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...opened.keys()].map(close))
    },
  }
}
