import { canonicalJson } from '../dataset/hash.js'
import type { RunManifest } from '../store/store.js'
import type { Settings } from './settings.js'

/** Which trials a run or a session was begun with. */
export interface TrialPlan {
  /** Ids of the items, in the order of the dataset. */
  readonly items: readonly string[]
  readonly repetitions: number
}

/** The trials that a stored run was begun with; `null` for a record that does not name its items. */
export function storedPlan({ itemOrder, planned, dataset }: RunManifest): TrialPlan | null {
  if (itemOrder === undefined || itemOrder.length === 0) return null
  const repetitions = planned / dataset.selectedItemCount
  return Number.isSafeInteger(repetitions) && repetitions > 0 ? { items: itemOrder, repetitions } : null
}

/** The settings that select exactly the trials of a plan. */
export function settingsOfPlan(settings: Settings, { items, repetitions }: TrialPlan): Settings {
  // Without a status in the filter an item that was disabled since would be missing.
  return { ...settings, filter: { id: items, status: 'any' }, repetitions }
}

/**
 * Says that other trials are asked for than those of the stored plan; `null` when they are not.
 *
 * @param stored the configuration that the run was begun with
 */
export function otherPlanNotice(
  { filter, repetitions }: Settings,
  stored: RunManifest['configuration'],
  plan: TrialPlan,
): string | null {
  const isSame =
    canonicalJson(JSON.parse(JSON.stringify(filter ?? null))) === canonicalJson(stored['filter'] ?? null) &&
    repetitions === plan.repetitions
  if (isSame) return null
  const { items } = plan
  const trials = items.length * plan.repetitions
  return (
    `The run goes on with the plan that was stored: ${counted(trials, 'trial')} (${counted(items.length, 'item')}, ` +
    `${plan.repetitions === 1 ? 'once' : `${plan.repetitions} times`} each). Other items and repetitions that are ` +
    'asked for now are left aside. To add them to the run, ask for that: --widen, or "widen" in code.'
  )
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
