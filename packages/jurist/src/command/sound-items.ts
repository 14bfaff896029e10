import type { Reporter } from '@jurist/experiment'
import { type EstablishReport, establish } from '@jurist/vet'
import type { Unsound } from '../import/git/import-repository.js'
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
): Promise<ReadonlyMap<string, Unsound>> {
  const filter = { id: ids, status: 'any' } as const
  const { items } = await establish({ ...experiment, filter }, { ...establishing, write: true })
  const found = new Map(items.map((item) => [item.itemId, item]))
  return new Map(
    ids.flatMap((id) => {
      const unsound = problemOf(found.get(id))
      return unsound === undefined ? [] : [[id, unsound] as const]
    }),
  )
}

function problemOf(item: EstablishReport['items'][number] | undefined): Unsound | undefined {
  const failed = item?.reference?.reason ?? null
  if (item === undefined) return { leftOut: 'not-judged', why: null }
  if (item.flaky) return { leftOut: 'flaky', why: failed }
  if (item.solvable === null) return { leftOut: 'not-judged', why: failed }
  if (!item.solvable) return { leftOut: 'reference-fails', why: failed }
  if (item.trivial === null) return { leftOut: 'not-judged', why: item.idle?.reason ?? null }
  if (item.trivial) return { leftOut: 'passes-before', why: null }
  // Its judge expects the tests of the lock, and there is nothing to lock.
  const isNamed = item.tests !== null && item.tests.failToPass.length > 0
  return isNamed
    ? undefined
    : { leftOut: 'no-named-test', why: 'Name a test command that writes a report, such as pytest or jest' }
}
