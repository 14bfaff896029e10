import { abstain, type JsonObject, type Judge, jury, selectiveJudge, type Vote } from '@jurist/core'
import { optionInvalid, ownConfidence } from '@jurist/core/internal'
import { commandLine } from '@jurist/kit/command-line'
import { calibrationRun } from '../calibrate/calibrate.js'
import { withinBudget } from '../calibrate/calibrate-options.js'
import { canonicalJson, sha256 } from '../dataset/hash.js'
import type { DatasetItem } from '../dataset/item.js'
import { itemOfTrial, type JudgedRun, judgedTrials, labelledItem, labelledTrials } from '../label/judged-trials.js'
import { currentLabels, type Label } from '../label/label.js'
import { counted } from '../result/amounts.js'
import { fileStore } from '../store/file-store.js'
import { openedStore } from '../store/memory-store.js'
import { type CascadeCalibration, type CascadeMade, cascadeCalibration } from './cascade-calibration.js'
import { type CalibrateCascadeOptions, cascadeSettings } from './cascade-options.js'
import type { LabelledBy } from './certificate.js'
import { type CascadeTier, certifiedTierOf } from './certified-cascade.js'
import { cascadeKey, triesWith } from './stored-cascade.js'

/**
 * Finds the loosest threshold at which labels certify a cascade: at most `alpha` of its decisions are wrong, with
 * probability `1 - delta` at least, for new items like the labelled ones. All tiers judge every item; the whole cascade
 * is tested as one system, threshold by threshold (fixed-sequence testing; Jung, Brahman and Choi 2025, Trust or
 * Escalate, tests tier by tier and returns a threshold even where none is certified). The run is stored with the kind
 * `judge`. Where nothing is certified, the certificate is `null`, and a cascade must decide nothing.
 *
 * @throws `option-invalid` naming everything that is wrong, and what `calibrate` throws
 *
 * @example
 * import { outputText } from '@jurist/core'
 * import { recorded } from '@jurist/experiment/calibrate'
 * import { calibrateCascade } from '@jurist/experiment/certify'
 *
 * const { certificate, why } = await calibrateCascade({
 *   name: 'answers',
 *   items: 'labelled.jsonl',
 *   tiers: [{ name: 'small', candidate: recorded('small') }, { name: 'large', candidate: recorded('large') }],
 *   alpha: 0.15,
 * })
 * console.log(certificate?.threshold ?? why)
 */
export async function calibrateCascade(options: CalibrateCascadeOptions): Promise<CascadeCalibration> {
  return await measuredCascade(options, { labelledRun: null, notes: [] })
}

/** `calibrateCascade`, with the source of its items. */
async function measuredCascade(
  options: CalibrateCascadeOptions,
  from: CascadeMade['from'],
): Promise<CascadeCalibration> {
  const given = cascadeSettings(options)
  const { tiers, alpha, delta, risk, grid, labels, seed, budgetUsd, ...rest } = given
  const { store, close } = openedStore(given, fileStore)
  const certifiedTiers = tiers.map(certifiedTierOf)
  const judges = Object.fromEntries(tiers.map((tier) => [tier.name, confidentJudge(tier)]))
  const candidate = jury({ judges, vote: firstConfident(grid.at(-1) ?? 0) })
  try {
    const made: CascadeMade = { tiers: certifiedTiers, alpha, delta, risk, grid, labels, seed, from }
    const { result } = await calibrationRun(
      { ...rest, ...withinBudget(given), seed, store, candidate, candidateName: 'cascade', resamples: 0 },
      { [cascadeKey]: made as unknown as JsonObject },
    )
    return await cascadeCalibration(result, made, (labelsHash) => triesWith(store, labelsHash))
  } finally {
    await close()
  }
}

/** The candidate of a tier, always with its confidence: nothing is withheld. */
function confidentJudge({ candidate, confidence = ownConfidence(candidate) }: CascadeTier): Judge {
  return selectiveJudge(candidate, { threshold: 0, confidence })
}

/** The first tier that decides with this confidence, as the cascade at its loosest threshold. */
function firstConfident(threshold: number): Vote {
  return function firstConfident(ballots) {
    const first = ballots.find(({ judgment: { status, metadata } }) => {
      const { confidence } = metadata
      return (status === 'pass' || status === 'fail') && typeof confidence === 'number' && confidence >= threshold
    })
    return first?.judgment ?? abstain(`no tier is confident to ${threshold}`)
  }
}

/** How a cascade is certified on the trials of a run: as on items, with a run and its labels for items. */
export interface CalibrateCascadeOnRunOptions
  extends Omit<CalibrateCascadeOptions, 'items' | 'input' | 'expected' | 'datasetVersion' | 'labels'>,
    JudgedRun {
  /** The lines of a file of labels. */
  readonly labels: readonly Label[]
  /**
   * The origin of the labels. Default: people if each label has an annotator, else unknown. Labels marked as made by models
   * always count as such.
   */
  readonly by?: LabelledBy
}

/**
 * `calibrateCascade` on the labelled trials of a stored run: every tier judges the context that the first jury saw. The
 * label of a trial is that of the majority; ties are left out and counted. Labels of a stratified or chosen sample do not
 * count. By default the trials of an item are one cluster.
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
    // A label belongs to the agent's output, so the hash must differ from run to run.
    return { ...item, hash: sha256(canonicalJson([origin, item.id, item.hash])) }
  })
  const itemOf = itemOfTrial(trials)
  await using judged = judgedTrials({ run, context, onEvent }, trials)
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

/**
 * The labels that a certificate may rest on: passes and fails of a uniform sample. A label that was made again for a
 * chosen trial does not replace one of them: trials are chosen because of judgments.
 *
 * @throws `option-invalid` where all labels are of a chosen sample
 */
function uniformLabels(
  run: string,
  lines: readonly Label[],
): { readonly labels: readonly Label[]; readonly notes: readonly string[] } {
  const decidedOf = (isUniform: boolean) =>
    currentLabels(lines.filter(({ use }) => (use === 'certify') === isUniform)).filter(({ label }) => label !== 'skip')
  const [labels, chosen] = [decidedOf(true), decidedOf(false)]
  if (labels.length === 0 && chosen.length > 0)
    optionInvalid(
      'labels',
      `calibrateCascadeOnRun: ${counted(chosen.length, 'label')}, all of a stratified or chosen sample. Such labels do not stand for the run, and no certificate rests on them. Label a uniform sample: ${commandLine('label', run, '--sample', '100')}`,
    )
  if (chosen.length === 0) return { labels, notes: [] }
  const note = `${counted(chosen.length, 'label')} of a stratified or chosen sample left out: no certificate rests on them.`
  return { labels, notes: [note] }
}
