import { parse } from 'smol-toml'
import { lineFinder } from '../code/token-stream.js'
import { checkDepth } from './data-node.js'

/** Where a value of a TOML document starts, and how a value without parts is written. */
export interface TomlPlace {
  readonly line: number
  readonly source?: string
}

type Path = readonly (string | number)[]

const space = /(?:[ \t\n]|#[^\n]*)+/y
const blank = /[ \t]+/y
const keyPart = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+/y
const scalar =
  /"""(?:[^"\\]|\\[\s\S]|"{1,2}(?!"))*"{3,5}|'''(?:[^']|'{1,2}(?!'))*'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\d{4}-\d\d-\d\d \d[^\s,\]}#]*|[^\s,\]}#]+/y

/**
 * Finds the places of values in a document that the parser has accepted: the parser itself keeps neither lines nor the
 * text of dates, which it rounds to milliseconds.
 *
 * @example
 * tomlPlaces('a = 1\nb.c = 2')(['b', 'c']) // { line: 2, source: '2' }
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

/** The path of a `[table]` or `[[table]]`, with the indices of the arrays of tables it passes through. */
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
    /** Whether a list ends here; a comma before its next element is passed over. */
    closes(bracket: string): boolean {
      take(space)
      if (takes(',')) take(space)
      return takes(bracket) || at >= text.length
    },
    /** A dotted key. What is no key (the parser knows better) is passed over, so that the cursor always moves. */
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
