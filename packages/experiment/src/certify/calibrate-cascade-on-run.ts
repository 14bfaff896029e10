import { canonicalJson, sha256 } from '../dataset/hash.js'
import type { DatasetItem } from '../dataset/item.js'
import { itemOfTrial, type JudgedRun, judgedTrials, labelledItem, labelledTrials } from '../label/judged-trials.js'
import type { Label } from '../label/label.js'
import { uniformLabels } from '../label/uniform-labels.js'
import { measuredCascade } from './calibrate-cascade.js'
import type { CascadeCalibration } from './cascade-calibration.js'
import type { CalibrateCascadeOptions } from './cascade-options.js'
import type { LabelledBy } from './certificate.js'

/** How a cascade is certified on the trials of a run: as on items, with a run and its labels for items. */
export interface CalibrateCascadeOnRunOptions
  extends Omit<CalibrateCascadeOptions, 'items' | 'input' | 'expected' | 'datasetVersion' | 'labels'>,
    JudgedRun {
  /** The lines of a file of labels. */
  readonly labels: readonly Label[]
  /**
   * Who made the labels. Default: people where each has an annotator, else unknown. Labels that are marked as made by models
   * are from models, whatever this says.
   */
  readonly by?: LabelledBy
}

/**
 * `calibrateCascade` on the labelled trials of a stored run: every tier judges what the first jury saw. The label of a trial is what
 * most people say of it; trials on which as many say pass as fail are left out and counted. Labels of a stratified or chosen sample
 * do not count. By default the trials of an item are one cluster.
 *
 * @throws `option-invalid` where no uniform label belongs to a completed trial, and what `calibrateCascade` throws
 *
 * @example
 * import { recorded } from '@jurist/experiment/calibrate'
 * import { calibrateCascadeOnRun } from '@jurist/experiment/certify'
 * import { readLabels } from '@jurist/experiment/label'
 * import { aResult } from '@jurist/experiment/testing'
 *
 * const labels = await readLabels('labels.jsonl')
 * const tiers = [{ name: 'small', candidate: recorded('small') }]
 * if (labels.length > 0)
 *   console.log((await calibrateCascadeOnRun({ name: 'answers', run: aResult(), labels, tiers })).certificate)
 */
export async function calibrateCascadeOnRun(options: CalibrateCascadeOnRunOptions): Promise<CascadeCalibration> {
  const { run, labels: lines, by, context, cluster, onEvent, ...rest } = options
  const uniform = uniformLabels(run.id, lines)
  const { trials, notes } = labelledTrials('calibrateCascadeOnRun', run, uniform.labels)
  const labels = trials.flatMap((trial) => trial.labels)
  const origin = run.lineage?.root ?? run.id
  const items = trials.map((trial): DatasetItem => {
    const item = labelledItem(trial)
    // A label is of what the agent made, so the hash must differ from run to run.
    return { ...item, hash: sha256(canonicalJson([origin, item.id, item.hash])) }
  })
  const itemOf = itemOfTrial(trials)
  await using judged = judgedTrials({ run, ...(context && { context }), ...(onEvent && { onEvent }) }, trials)
  const given: CalibrateCascadeOptions = {
    ...rest,
    items,
    input: judged.input,
    onEvent: judged.onEvent,
    cluster: cluster === undefined ? itemOf : (item) => cluster({ ...item, id: itemOf(item) }),
    labels: { annotators: annotatorsOf(labels), by: labelledBy(labels, by) },
  }
  return await measuredCascade(given, { labelledRun: run.id, notes: [...uniform.notes, ...notes] })
}

function annotatorsOf(labels: readonly Label[]): readonly string[] {
  return [...new Set(labels.map(({ annotator }) => annotator))].filter((name) => name !== '').sort()
}

function labelledBy(labels: readonly Label[], said: LabelledBy | undefined): LabelledBy {
  if (said === 'models' || labels.some(({ by }) => by === 'models')) return 'models'
  return said ?? (labels.every(({ annotator }) => annotator !== '') ? 'people' : 'unknown')
}
