import { join } from 'node:path'
import { JuristError } from '@jurist/core'
import type { Dataset } from '../dataset/dataset.js'
import { placeOf } from '../dataset/dataset-place.js'
import { matches } from '../dataset/filter.js'
import type { DatasetItem, ItemFilter } from '../dataset/item.js'
import type { DatasetProblem } from '../dataset/problem.js'
import type { ExperimentOptions } from './experiment.js'
import { type ItemJudging, type ItemJuries, itemJuries, type JudgedItem, problemPlace } from './item-juries.js'
import { type RunFacts, type Settings, settingsOf } from './settings.js'

/** What an experiment says about the judges of its items. */
interface JudgingParts extends Pick<RunFacts, 'isolation'> {
  readonly settings: Settings
  readonly dataset: Dataset
}

/** How the items of an experiment are judged. */
function judgingOf({ settings, dataset, isolation }: JudgingParts): ItemJudging {
  const { jury, itemJury, describedJudges, trustItems, projectDirectory } = settings
  const { directory, file, isInMemory } = placeOf(dataset)
  const base = directory ?? projectDirectory
  const isTrusted = trustItems || isInMemory
  return {
    jury,
    itemJury,
    describedJudges,
    isTrusted,
    mayRunCommands: isTrusted || isolation === 'namespace' || isolation === 'container',
    directoryOf: ({ path }) => (path === null ? base : join(base, path)),
    root: isInMemory ? null : base,
    file,
    name: dataset.name,
  }
}

/** The juries of the items, and everything about the items that this experiment cannot do. */
export async function judgedItems(
  parts: JudgingParts,
  items: readonly DatasetItem[],
): Promise<{ readonly juries: ItemJuries; readonly problems: readonly DatasetProblem[] }> {
  const { juries, problems } = await itemJuries(judgingOf(parts), items satisfies readonly JudgedItem[])
  const images = items.flatMap((item) => imageProblems(parts, item))
  return { juries, problems: [...problems, ...images] }
}

/** An image needs containers. A provision that does not declare its isolation reads the image of the item by itself. */
function imageProblems({ dataset, isolation }: JudgingParts, item: DatasetItem): readonly DatasetProblem[] {
  const { image } = item
  if (image === null || isolation === 'container' || isolation === 'undeclared') return []
  return [
    {
      ...problemPlace(item, placeOf(dataset).file, 'image'),
      problem: `${JSON.stringify(image)} is a container image, and the experiment runs no containers.`,
      remedy: 'Give the experiment a sandbox such as docker:IMAGE, or leave "image" out.',
      severity: 'error',
    },
  ]
}

/**
 * What is wrong with the judges and images of the items of an experiment, without running it. Items that are broken
 * themselves are left out.
 *
 * @param experiment its other options are valid
 */
export async function judgesProblems(
  experiment: ExperimentOptions,
  dataset: Dataset,
  filter: ItemFilter,
): Promise<readonly DatasetProblem[]> {
  const items: DatasetItem[] = []
  for (const { id } of dataset.entries) {
    const item = await dataset.item(id).catch(refuseUnless('dataset-invalid'))
    if (item !== undefined && matches(filter, item)) items.push(item)
  }
  const isolation = (await experiment.provision?.isolation?.().catch(refuseUnless('sandbox-unavailable'))) ?? undefined
  const standard: RunFacts['isolation'] = experiment.provision === undefined ? 'none' : 'undeclared'
  const parts = { settings: settingsOf(experiment, null), dataset, isolation: isolation ?? standard }
  return (await judgedItems(parts, items)).problems
}

function refuseUnless(code: 'dataset-invalid' | 'sandbox-unavailable') {
  return (thrown: unknown): undefined => {
    if (!JuristError.is(thrown, code)) throw thrown
  }
}
