import { isPlainObject } from '@jurist/core/internal'
import { groupBy } from '@jurist/kit/group-by'
import type { ItemResult } from '../result/records.js'
import { trialText } from '../result/trial-figures.js'
import type { Label } from './label.js'

/** The labels of each trial, by its name. */
export function labelsByTrial(labels: readonly Label[]): ReadonlyMap<string, readonly Label[]> {
  return groupBy(labels, trialText)
}

/** The majority label of a trial; `null` on a tie. */
export function labelOf(labels: readonly Label[]): 'pass' | 'fail' | null {
  const passes = labels.filter(({ label }) => label === 'pass').length
  const fails = labels.filter(({ label }) => label === 'fail').length
  if (passes === fails) return null
  return passes > fails ? 'pass' : 'fail'
}

/** How far people agree on a trial. A single person shows no agreement. */
export function peopleOn(labels: readonly Label[]): 'one' | 'agree' | 'differ' {
  if (labels.length < 2) return 'one'
  return new Set(labels.map(({ label }) => label)).size === 1 ? 'agree' : 'differ'
}

/** Where the trial that was judged is stored. */
export interface LabelledPlace {
  readonly run: string
  readonly itemId: string
  readonly repetition: number
}

/** The trial that a stored labelled item was; `null`: an item of a dataset. */
export function trialOf({ metadata: { trial } }: Pick<ItemResult, 'metadata'>): LabelledPlace | null {
  if (!isPlainObject(trial)) return null
  const { run, itemId, repetition } = trial
  if (typeof run !== 'string' || typeof itemId !== 'string' || typeof repetition !== 'number') return null
  return { run, itemId, repetition }
}
