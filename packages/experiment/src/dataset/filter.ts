import { readFilter } from './filter-rules.js'
import type { DatasetEntry, DatasetItem, ItemStatus, UnhashedItem } from './item.js'

/** What an item must be. Every criterion that is given must hold; a list means any of its values. */
export interface ItemCriteria {
  readonly id?: string | readonly string[]
  readonly slug?: string | readonly string[]
  readonly bucket?: string | readonly string[]
  /** The item has all of these tags. */
  readonly tags?: readonly string[]
  readonly taskType?: string | readonly string[]
  readonly noChange?: boolean
  /** `'any'`: every status. Without a status anywhere in a filter only active items are selected. */
  readonly status?: ItemStatus | readonly ItemStatus[] | 'any'
}

/** A selection of items: criteria, or filters under one operator. */
export type ItemFilter =
  | ItemCriteria
  | { readonly and: readonly ItemFilter[] }
  | { readonly or: readonly ItemFilter[] }
  | { readonly not: ItemFilter }

/** A filter in the form it is asked in. */
export interface Selection {
  /** Whether an item that begins with this entry may be selected: only `false` is final. */
  mayContain(entry: DatasetEntry): boolean
  contains(item: UnhashedItem): boolean
}

/**
 * Whether an item fits a filter. No status is implied: `matches({}, item)` is true for a disabled item too.
 *
 * @throws `option-invalid` when the filter is malformed
 *
 * @example
 * matches({ tags: ['rename'] }, item)
 */
export function matches(filter: ItemFilter, item: DatasetItem): boolean {
  return readFilter(filter).test(item) === true
}

/**
 * The selection that a filter makes of a dataset: active items only, unless the filter names a status somewhere.
 *
 * @throws `option-invalid` when the filter is malformed
 */
export function selectionOf(filter: ItemFilter = {}): Selection {
  const { test, namesStatus } = readFilter(filter)
  const inUse = (entry: DatasetEntry) => namesStatus || entry.status === 'active'
  return {
    mayContain: (entry) => inUse(entry) && test(entry) !== false,
    contains: (item) => inUse(item) && test(item) === true,
  }
}
