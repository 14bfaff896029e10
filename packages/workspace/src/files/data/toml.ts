import { parse, TomlDate, TomlError } from 'smol-toml'
import { lineFinder } from '../code/token-stream.js'
import { type Comparator, maxDepth } from '../comparator.js'
import { refuse, treeComparator } from '../compare-trees.js'
import { checkDepth, compareData, type DataNode } from './compare-data.js'

/** Compares two TOML documents by their values: tables in any order and form. Integers are not floats. */
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

/**
 * Normalizes a date-time: `T` or a space, `z`, `Z` or `+00:00`, and zeros at the end of a fraction make no difference.
 */
function instant(source: string): string {
  return source
    .toUpperCase()
    .replace(' ', 'T')
    .replace(/[-+]00:00$/, 'Z')
    .replace(/(\.\d*?)0+(?!\d)/, '$1')
    .replace(/\.(?!\d)/, '')
}

/** The line of a value of a TOML document, and the source of a value without parts. */
export interface TomlPlace {
  readonly line: number
  readonly source?: string
}

const space = /(?:[ \t\n]|#[^\n]*)+/y
const blank = /[ \t]+/y
const keyPart = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+/y
const scalar =
  /"""(?:[^"\\]|\\[\s\S]|"{1,2}(?!"))*"{3,5}|'''(?:[^']|'{1,2}(?!'))*'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\d{4}-\d\d-\d\d \d[^\s,\]}#]*|[^\s,\]}#]+/y

/**
 * Finds the places of values in a document that the parser has accepted: the parser itself keeps neither lines nor the
 * source of dates, which it rounds to milliseconds.
 */
export function tomlPlaces(text: string): (path: Path) => TomlPlace | undefined {
  const places = new Map<string, TomlPlace>()
  const tables = new Map<string, number>()
  const cursor = cursorOf(text)
  const record = (path: Path, place: TomlPlace) => {
    const key = JSON.stringify(path)
    if (!places.has(key)) places.set(key, place)
  }
  let table: Path = []
  for (cursor.take(space); !cursor.atEnd(); cursor.take(space)) {
    const line = cursor.line()
    if (cursor.takes('[')) {
      const repeated = cursor.takes('[')
      table = tablePath(cursor.key(), repeated, tables)
      checkDepth(table.length, line)
      recordAll(table, 0, line, record)
      cursor.takes(']')
      if (repeated) cursor.takes(']')
    } else {
      const path = [...table, ...cursor.key()]
      checkDepth(path.length, line)
      recordAll(path.slice(0, -1), table.length, line, record)
      cursor.takes('=')
      readValue(cursor, path, record)
    }
  }
  return (path) => places.get(JSON.stringify(path))
}

function recordAll(path: Path, from: number, line: number, record: (path: Path, place: TomlPlace) => void): void {
  for (let length = from + 1; length <= path.length; length++) record(path.slice(0, length), { line })
}

/** Returns the path of a `[table]` or `[[table]]`, with the indexes of the arrays of tables on its way. */
function tablePath(key: readonly string[], repeated: boolean, tables: Map<string, number>): Path {
  const path: (string | number)[] = []
  for (const [index, part] of key.entries()) {
    path.push(part)
    const array = JSON.stringify(path)
    const begins = repeated && index === key.length - 1
    const count = (tables.get(array) ?? 0) + (begins ? 1 : 0)
    if (begins) tables.set(array, count)
    if (count > 0) path.push(count - 1)
  }
  return path
}

function readValue(cursor: Cursor, path: Path, record: (path: Path, place: TomlPlace) => void): void {
  cursor.take(space)
  const line = cursor.line()
  if (cursor.takes('[')) {
    record(path, { line })
    for (let index = 0; !cursor.closes(']'); index++) readValue(cursor, [...path, index], record)
  } else if (cursor.takes('{')) {
    record(path, { line })
    while (!cursor.closes('}')) {
      const inner = [...path, ...cursor.key()]
      recordAll(inner.slice(0, -1), path.length, cursor.line(), record)
      cursor.takes('=')
      readValue(cursor, inner, record)
    }
  } else record(path, { line, source: cursor.take(scalar) })
}

type Cursor = ReturnType<typeof cursorOf>

function cursorOf(text: string) {
  const lineAt = lineFinder(text)
  let at = 0
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0] ?? ''
    at += found.length
    return found
  }
  const takes = (character: string): boolean => {
    take(blank)
    const found = text[at] === character
    if (found) at++
    return found
  }
  return {
    take,
    takes,
    line: () => lineAt(at),
    atEnd: () => at >= text.length,
    /** Whether a list ends here. A comma before its next element is skipped. */
    closes(bracket: string): boolean {
      take(space)
      if (takes(',')) take(space)
      return takes(bracket) || at >= text.length
    },
    /**
     * Reads a dotted key. Anything else, which the parser would refuse, is skipped, so that the cursor always moves.
     */
    key(): readonly string[] {
      const parts: string[] = []
      do {
        take(space)
        const part = take(keyPart)
        if (part === '') at++
        checkDepth(parts.push(nameOf(part)), lineAt(at))
      } while (takes('.'))
      return parts
    },
  }
}

function nameOf(part: string): string {
  if (part.startsWith("'")) return part.slice(1, -1)
  if (!part.startsWith('"')) return part
  return part.includes('\\') ? String(parse(`key = ${part}`)['key']) : part.slice(1, -1)
}
