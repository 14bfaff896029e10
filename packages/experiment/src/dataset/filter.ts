import { checkedFilter } from './filter-schema.js'
import type { DatasetEntry, DatasetItem, ItemCriteria, ItemFilter, UnhashedItem } from './item.js'

/** A filter, prepared to be applied to many items. */
export interface Selection {
  /** Whether an item with this entry may be selected: only `false` is final. */
  mayContain(entry: DatasetEntry): boolean
  contains(item: UnhashedItem): boolean
}

/**
 * Whether an item fits a filter. No status is implied: `matches({}, item)` is true for a disabled item too.
 *
 * @throws `option-invalid` when the filter is malformed
 *
 * @example
 * import { dataset, matches } from '@jurist/experiment/dataset'
 *
 * const item = await dataset({ name: 'tasks', items: [{ id: 'one', task: 'Rename it', tags: ['rename'] }] }).item('one')
 * matches({ tags: ['rename'] }, item) // true
 */
export function matches(filter: ItemFilter, item: DatasetItem): boolean {
  return testOf(checkedFilter(filter))(item) === true
}

/**
 * The selection that a filter makes of a dataset: active items only, unless the filter names a status somewhere.
 *
 * @throws `option-invalid` when the filter is malformed
 */
export function selectionOf(filter: ItemFilter = {}): Selection {
  const checked = checkedFilter(filter)
  const test = testOf(checked)
  const anyStatus = namesStatus(checked)
  const inUse = (entry: DatasetEntry) => anyStatus || entry.status === 'active'
  return {
    mayContain: (entry) => inUse(entry) && test(entry) !== false,
    contains: (item) => inUse(item) && test(item) === true,
  }
}

/** An entry, or the item that was read for it. */
type Candidate = DatasetEntry & Partial<Pick<UnhashedItem, 'tags' | 'noChange'>>

/** Whether a candidate fits; `undefined`: the item must be read to know. */
type Test = (candidate: Candidate) => boolean | undefined

function testOf(filter: ItemFilter): Test {
  if ('and' in filter && filter.and !== undefined) return all(filter.and.map(testOf))
  // By De Morgan. Without any filter, no candidate fits.
  if ('or' in filter && filter.or !== undefined) return negated(all(filter.or.map((one) => negated(testOf(one)))))
  if ('not' in filter && filter.not !== undefined) return negated(testOf(filter.not))
  const { tags = [], noChange, status = 'any', ...names } = filter as ItemCriteria
  const tests: Test[] = []
  for (const [key, wanted] of Object.entries(names) as [keyof typeof names, string | readonly string[] | undefined][]) {
    if (wanted === undefined) continue
    const allowed = new Set([wanted].flat())
    tests.push((candidate) => allowed.has(candidate[key]))
  }
  if (status !== 'any') {
    const allowed: ReadonlySet<string> = new Set([status].flat())
    tests.push((candidate) => allowed.has(candidate.status))
  }
  if (tags.length > 0) tests.push((candidate) => candidate.tags && tags.every((tag) => candidate.tags?.includes(tag)))
  if (noChange !== undefined)
    tests.push((candidate) => (candidate.noChange === undefined ? undefined : candidate.noChange === noChange))
  return all(tests)
}

function all(tests: readonly Test[]): Test {
  return (candidate) => {
    let known = true
    for (const test of tests) {
      const answer = test(candidate)
      if (answer === false) return false
      if (answer === undefined) known = false
    }
    return known ? true : undefined
  }
}

function negated(test: Test): Test {
  return (candidate) => {
    const answer = test(candidate)
    return answer === undefined ? undefined : !answer
  }
}

function namesStatus(filter: ItemFilter): boolean {
  if ('and' in filter && filter.and !== undefined) return filter.and.some(namesStatus)
  if ('or' in filter && filter.or !== undefined) return filter.or.some(namesStatus)
  if ('not' in filter && filter.not !== undefined) return namesStatus(filter.not)
  return 'status' in filter && filter.status !== undefined
}
