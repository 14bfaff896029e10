import { sha256 } from '../dataset/hash.js'
import type { DatasetItem } from '../dataset/item.js'
import type { TrialPlace } from './events.js'

/** One item, once: what a run is made of. */
export interface Trial extends TrialPlace {
  /** Its place in the order of results, from 0. */
  readonly index: number
  readonly item: DatasetItem
  /** What the agent is asked. */
  readonly prompt: string
}

const misfit = /[^A-Za-z0-9._-]/g

/**
 * The name of a trial's files: `<item id>--<repetition>`, the id with `_` in place of what not every file system takes,
 * and then a part of its hash, so that two ids never share a name.
 */
export function trialName({ itemId, repetition }: TrialPlace): string {
  const plain = itemId.replace(misfit, '_')
  return `${plain === itemId ? itemId : `${plain}-${sha256(itemId).slice(0, 8)}`}--${repetition}`
}

/** A text that is the same for two trials only when they are the same. */
export function trialKey({ itemId, repetition }: TrialPlace): string {
  // A line break cannot occur in an item id.
  return `${itemId}\n${repetition}`
}
