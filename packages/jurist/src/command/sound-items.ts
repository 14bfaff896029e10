import type { Dataset, DatasetItem } from '@jurist/experiment'
import { completed, openDataset, runExperiment } from '@jurist/experiment'
import { pathOf } from '@jurist/experiment/internal'
import type { ItemResult } from '@jurist/experiment/result'
import type { LeftOut } from '../import/git/candidates.js'
import type { NamedExperiment } from './configured-experiment.js'

/** How items are tried. */
export interface Trying {
  readonly repeat: number
  readonly concurrency: number
  readonly signal: AbortSignal
}

/** Which items are unsound: the reference has to pass, and no work at all has to fail, as often as asked. */
export async function unsoundItems(
  experiment: NamedExperiment,
  ids: readonly string[],
  trying: Trying,
): Promise<ReadonlyMap<string, LeftOut>> {
  const dataset = await openDataset(pathOf(experiment.dataset as string), { signal: trying.signal })
  const solved = await tried(
    experiment,
    withBefore(dataset, (item) => item.reference),
    ids,
    trying,
  )
  const idle = await tried(experiment, dataset, ids, trying)
  return new Map(
    ids.flatMap((id) => {
      const reason = problemOf(of(solved, id), of(idle, id))
      return reason === undefined ? [] : [[id, reason] as const]
    }),
  )
}

function of(results: readonly ItemResult[], id: string): readonly (boolean | null)[] {
  return results.filter(({ itemId }) => itemId === id).map(({ passed }) => passed)
}

function problemOf(solved: readonly (boolean | null)[], idle: readonly (boolean | null)[]): LeftOut | undefined {
  if (solved.length === 0 || [...solved, ...idle].includes(null)) return 'not-judged'
  if (new Set(solved).size > 1 || new Set(idle).size > 1) return 'flaky'
  if (solved.includes(false)) return 'reference-fails'
  return idle.includes(true) ? 'passes-before' : undefined
}

async function tried(
  experiment: NamedExperiment,
  dataset: Dataset,
  ids: readonly string[],
  { repeat, concurrency, signal }: Trying,
): Promise<readonly ItemResult[]> {
  const run = runExperiment(
    {
      ...experiment,
      ...{ dataset, agent: () => completed(''), filter: { id: ids, status: 'any' as const } },
      ...{ repetitions: repeat, concurrency },
    },
    { signal, kind: 'establish' },
  )
  return (await run.result).items
}

function withBefore(dataset: Dataset, before: (item: DatasetItem) => DatasetItem['before']): Dataset {
  return {
    ...dataset,
    async *items(filter) {
      for await (const item of dataset.items(filter)) yield { ...item, before: before(item) }
    },
  }
}
