import { parse, TomlDate, TomlError } from 'smol-toml'
import type { Comparator } from '../comparator.js'
import { maxDepth } from '../comparator.js'
import { refuse, treeComparator } from '../compare-trees.js'
import { compareData } from './compare-data.js'
import type { DataNode } from './data-node.js'
import { checkDepth } from './data-node.js'
import type { TomlPlace } from './toml-places.js'
import { tomlPlaces } from './toml-places.js'

/** Compares two TOML documents by their values: tables in any order and any form, integers are not floats. */
export const compareToml: Comparator = treeComparator<DataNode>({
  parse: parseToml,
  compare: (reference, actual, _rules, log) => compareData(reference, actual, log),
})

function parseToml(text: string): DataNode {
  return nodeOf(parsed(text), tomlPlaces(text), [], 1)
}

function parsed(text: string): unknown {
  try {
    return parse(text, { integersAsBigInt: true, maxDepth: maxDepth.data })
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown
    return refuse(thrown.message.split('\n', 1)[0] ?? 'no TOML', thrown.line)
  }
}

type Path = readonly (string | number)[]
type PlaceOf = (path: Path) => TomlPlace | undefined

function nodeOf(value: unknown, placeOf: PlaceOf, path: Path, above: number): DataNode {
  const { line = above, source = '' } = placeOf(path) ?? {}
  checkDepth(path.length, line)
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index) => nodeOf(item, placeOf, [...path, index], line))
    return { kind: 'list', items, line }
  }
  if (value instanceof TomlDate) return { kind: 'scalar', type: kindOf(value), value: instant(source), source, line }
  if (typeof value !== 'object' || value === null)
    return {
      kind: 'scalar',
      type: typeof value,
      value: String(value),
      ...(typeof value === 'number' ? { source } : {}),
      line,
    }
  const entries = Object.entries(value).map(
    ([key, part]: [string, unknown]) => [key, nodeOf(part, placeOf, [...path, key], line)] as const,
  )
  return { kind: 'map', entries: new Map(entries), line }
}

function kindOf(date: TomlDate): string {
  const kind = date.isDateTime() ? 'date-time' : date.isDate() ? 'date' : 'time'
  return `${date.isLocal() ? 'local' : 'offset'} ${kind}`
}

/** The text of a date-time: `T` or a space, `z` or `Z`, and zeros at the end of a fraction make no difference. */
function instant(source: string): string {
  return source
    .toUpperCase()
    .replace(' ', 'T')
    .replace(/(\.\d*?)0+(?!\d)/, '$1')
    .replace(/\.(?!\d)/, '')
}
