import { join } from 'node:path'
import type { Jury } from '@jurist/core'
import { refuseErrors } from '../dataset/problem.js'
import type { ExperimentResult, ItemResult, JuryDescription } from '../result/records.js'
import { trialText } from '../result/trial-figures.js'
import { describeJury } from '../run/describe-jury.js'
import { type ItemJuries, itemJuries, itemMember, quarantinedJuries } from '../run/item-juries.js'
import { itemJuryChoices } from '../run/settings.js'
import { type ChosenTiers, chosenTiers, type RejudgeOptions, type SkipReason } from './rejudge-options.js'

/** The jury of a trial, with how its verdict is merged where only some tiers run. */
export interface RejudgeJury {
  readonly jury: Jury
  readonly merge: ChosenTiers['merge'] | null
}

/** The juries that judge the trials of a run again. */
export interface RejudgeJuries {
  readonly description: JuryDescription
  /** The jury of a trial, or why it is not judged again. */
  of(item: ItemResult): RejudgeJury | SkipReason
}

type Options = Pick<RejudgeOptions, 'tiers' | 'itemJury' | 'describedJudges' | 'trustItems' | 'datasetDirectory'>

/**
 * The new jury, which the judges of the items join or replace as they did in the run.
 *
 * @throws `dataset-invalid` with every problem of the items' judges, `tier-unknown`
 */
export async function rejudgeJuries(
  run: ExperimentResult,
  items: readonly ItemResult[],
  jury: Jury,
  options: Options,
): Promise<RejudgeJuries> {
  const stored = [...new Map(items.map((item) => [item.itemId, item])).values()]
  const all = await storedJuries(run, stored, jury, options)
  const { juries } = quarantinedJuries(
    { ...all, of: (id) => all.of(id) ?? jury },
    { file: null, entries: run.quarantine ?? [] },
    stored.map(({ itemId }) => ({ id: itemId })),
  )
  const own = ({ itemId }: ItemResult) => juries.of(itemId) ?? jury
  const { tiers } = options
  const widest = stored.find(({ judges }) => (judges?.described ?? null) !== null)
  const chosenOf = tiers === undefined ? null : chosenTiers(widest === undefined ? jury : own(widest), tiers).jury
  return {
    description: chosenOf === null ? (juries.description ?? describeJury(jury)) : describeJury(chosenOf),
    of(item) {
      if (item.judges?.described === null) return skipped(item, 'had a jury in its program, which is not stored')
      if (tiers === undefined) return { jury: own(item), merge: null }
      const chosen = tiers.filter((name) => name !== itemMember || tierNames(own(item)).includes(name))
      return chosen.length === 0 ? skipped(item, 'has no judges of its own') : chosenTiers(own(item), chosen)
    },
  }
}

function skipped({ itemId, repetition }: ItemResult, why: string): SkipReason {
  return { skip: 'other', message: `${trialText({ itemId, repetition })} ${why}.` }
}

function tierNames(jury: Jury): readonly string[] {
  return jury.parts?.tiers?.map(({ name }) => name) ?? []
}

async function storedJuries(
  { configuration, dataset }: ExperimentResult,
  items: readonly ItemResult[],
  jury: Jury,
  { itemJury, describedJudges, trustItems = false, datasetDirectory }: Options,
): Promise<ItemJuries> {
  const before = itemJuryChoices.find((choice) => choice === configuration['itemJury']) ?? 'join'
  const root = datasetDirectory ?? null
  const { juries, problems } = await itemJuries(
    {
      jury,
      itemJury: itemJury ?? before,
      describedJudges,
      isTrusted: trustItems,
      // Commands of judges run on the machine itself here, whatever the experiment had.
      mayRunCommands: trustItems,
      directoryOf: ({ path }) => (root === null ? null : join(root, path ?? '')),
      root,
      file: null,
      name: dataset.name,
    },
    items.map(({ itemId, judges }) => {
      const { described = null, directory = '' } = judges ?? {}
      // Records are untrusted.
      const path = typeof directory === 'string' && directory !== '' ? directory : null
      return { id: itemId, path, judges: described, jury: null }
    }),
  )
  refuseErrors(dataset.name, problems)
  return juries
}
