import type { Comparator } from '../comparator.js'
import { refuse, treeComparator } from '../compare-trees.js'
import type { DataNode, MapNode } from './compare-data.js'
import { compareData } from './compare-data.js'

/** Compares two Java properties files key by key, whatever their layout. The last of a repeated key counts. */
export const compareProperties: Comparator = treeComparator<MapNode>({
  parse: parseProperties,
  compare: (reference, actual, _rules, log) => compareData(reference, actual, log, ([key = '']) => String(key)),
})

/** A line joined with its continuation lines. */
interface LogicalLine {
  readonly text: string
  readonly line: number
}

function parseProperties(text: string, note: (text: string) => void): MapNode {
  const entries = new Map<string, DataNode>()
  for (const { text: content, line } of logicalLines(text)) {
    const split = keyLength(content)
    const key = unescaped(content.slice(0, split), line)
    const value = unescaped(content.slice(split).replace(/^[ \t\f]*[=:]?[ \t\f]*/, ''), line)
    if (entries.has(key)) note(`the key ${JSON.stringify(key.slice(0, 80))} is repeated: the last one counts`)
    entries.set(key, { kind: 'scalar', type: 'string', value, line })
  }
  return { kind: 'map', entries, line: 1 }
}

function* logicalLines(text: string): Generator<LogicalLine> {
  let parts: string[] = []
  let start = 1
  for (const [index, natural] of text.split('\n').entries()) {
    const content = natural.replace(/^[ \t\f]+/, '')
    if (parts.length === 0) {
      if (content === '' || content.startsWith('#') || content.startsWith('!')) continue
      start = index + 1
    }
    const continues = trailingBackslashes(content) % 2 === 1
    parts.push(continues ? content.slice(0, -1) : content)
    if (continues) continue
    yield { text: parts.join(''), line: start }
    parts = []
  }
  if (parts.length > 0) yield { text: parts.join(''), line: start }
}

function trailingBackslashes(line: string): number {
  let count = 0
  while (line[line.length - 1 - count] === '\\') count++
  return count
}

/** Returns the length of the key of a line, which ends at the first unescaped separator. */
function keyLength(line: string): number {
  for (let index = 0; index < line.length; index++) {
    if (line[index] === '\\') index++
    else if (/[=: \t\f]/.test(line[index] ?? '')) return index
  }
  return line.length
}

const letters: ReadonlyMap<string, string> = new Map([
  ['t', '\t'],
  ['n', '\n'],
  ['r', '\r'],
  ['f', '\f'],
])

function unescaped(text: string, line: number): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\(u([0-9A-Fa-f]{4})?|[\s\S]|$)/g, (_match, rest: string, hex: string | undefined) => {
    if (!rest.startsWith('u')) return letters.get(rest) ?? rest
    return hex === undefined
      ? refuse('a Unicode escape needs four digits', line)
      : String.fromCharCode(Number.parseInt(hex, 16))
  })
}
