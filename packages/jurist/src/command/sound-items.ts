import type { Reporter } from '@jurist/experiment'
import { type EstablishReport, establish } from '@jurist/vet'
import type { LeftOut } from '../import/git/candidates.js'
import type { NamedExperiment } from './configured-experiment.js'

/** How items are established. */
export interface Establishing {
  readonly repeat: number
  readonly signal: AbortSignal
  readonly onEvent: Reporter
}

/**
 * Writes the locks of the items that are sound: their reference passes and nothing at all does not, each time.
 *
 * @returns why the others are not
 */
export async function unsoundItems(
  experiment: NamedExperiment,
  ids: readonly string[],
  establishing: Establishing,
): Promise<ReadonlyMap<string, LeftOut>> {
  const filter = { id: ids, status: 'any' } as const
  const { items } = await establish({ ...experiment, filter }, { ...establishing, write: true })
  const found = new Map(items.map((item) => [item.itemId, item]))
  return new Map(
    ids.flatMap((id) => {
      const reason = problemOf(found.get(id))
      return reason === undefined ? [] : [[id, reason] as const]
    }),
  )
}

function problemOf(item: EstablishReport['items'][number] | undefined): LeftOut | undefined {
  if (item === undefined) return 'not-judged'
  if (item.flaky) return 'flaky'
  if (item.solvable === null || item.trivial === null) return 'not-judged'
  if (!item.solvable) return 'reference-fails'
  return item.trivial ? 'passes-before' : undefined
}
