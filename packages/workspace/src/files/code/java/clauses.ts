import type { Group, Item } from '../items.js'
import { canonical } from './canonical.js'
import type { JavaSource } from './java-source.js'
import { splitAtCommas } from './ranges.js'

/** The entries between commas from `from` to `to` as a group: their order does not count. */
function unorderedList(source: JavaSource, from: number, to: number): Group {
  const units = splitAtCommas(source, from, to).map(([start, end]) => {
    const items = canonical(source, start, end)
    return { key: items.map((index) => source.texts[index]).join('\0'), items }
  })
  return { units }
}

/** A word such as `throws` at `from` and the unordered list behind it; nothing when the range is empty. */
export function unorderedClause(source: JavaSource, from: number, to: number): readonly Item[] {
  return from < to ? [from, unorderedList(source, from + 1, to)] : []
}
