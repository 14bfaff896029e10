import { isPlainObject } from '@jurist/core/internal'
import type { TrialName } from '../result/trial-figures.js'
import type { RunManifest } from './store.js'

/** How often an item of a stored run runs; without an id, one that does not say so itself. */
export function plannedRepetitions(
  { planned, dataset, configuration }: Pick<RunManifest, 'planned' | 'dataset' | 'configuration'>,
  itemId?: string,
): number {
  const { repetitions, itemRepetitions } = configuration
  const own = isPlainObject(itemRepetitions) && itemId !== undefined ? itemRepetitions[itemId] : undefined
  const known = own ?? repetitions
  if (typeof known === 'number') return known
  return dataset.selectedItemCount === 0 ? 0 : planned / dataset.selectedItemCount
}

/** All trials of the plan of a stored run, in result order; none for a record that does not name its items. */
export function plannedTrials(manifest: RunManifest): readonly TrialName[] {
  const trials: TrialName[] = []
  for (const itemId of manifest.itemOrder ?? []) {
    const repetitions = plannedRepetitions(manifest, itemId)
    for (let repetition = 1; repetition <= repetitions; repetition += 1) trials.push({ itemId, repetition })
  }
  return trials
}
