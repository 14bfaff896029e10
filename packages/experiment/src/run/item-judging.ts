import { join } from 'node:path'
import type { Dataset } from '../dataset/dataset.js'
import { placeOf } from '../dataset/dataset-place.js'
import type { DatasetItem } from '../dataset/item.js'
import type { DatasetProblem } from '../dataset/problem.js'
import { type ItemJudging, type ItemJuries, itemJuries, type JudgedItem } from './item-juries.js'
import type { RunFacts, Settings } from './settings.js'

/** What an experiment says about the judges of its items. */
interface JudgingParts extends Pick<RunFacts, 'isolation'> {
  readonly settings: Settings
  readonly dataset: Dataset
}

/** How the items of an experiment are judged. */
function judgingOf({ settings, dataset, isolation }: JudgingParts): ItemJudging {
  const { jury, itemJury, describedJudges, trustItems, projectDirectory } = settings
  const { directory, isInMemory } = placeOf(dataset)
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
function imageProblems({ isolation }: JudgingParts, { id, path, image }: DatasetItem): readonly DatasetProblem[] {
  if (image === null || isolation === 'container' || isolation === 'undeclared') return []
  return [
    {
      file: path === null ? id : `${path}/item.json`,
      item: id,
      field: 'image',
      problem: `${JSON.stringify(image)} is a container image, and the experiment runs no containers.`,
      remedy: 'Give the experiment a sandbox such as docker:IMAGE, or leave "image" out.',
      severity: 'error',
    },
  ]
}
