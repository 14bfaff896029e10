import type { Finding, Sources } from './comparator.js'
import { differs, excerpts } from './difference.js'

/** The units that are compared: words, lines without trailing space, or lines as they are. */
export type Strictness = 'text' | 'text-lines' | 'text-exact'

/** A piece of a file and its line. */
interface Piece {
  readonly text: string
  readonly line: number
}

/** Compares two files piece by piece. The only difference is the first one, and its member is the empty string. */
export function compareText({ reference, actual }: Sources, strictness: Strictness): Finding {
  const expected = pieces(reference, strictness)
  const found = pieces(actual, strictness)
  for (let last: Sides = {}; ; ) {
    const wanted = expected.next().value
    const present = found.next().value
    if (wanted === undefined && present === undefined) return { by: 'lines', differences: [], notes: [] }
    if (wanted?.text !== present?.text) return firstDifference({ wanted, present }, last)
    last = { wanted, present }
  }
}

/** The pieces at one position of both files; absent on a side that has ended. */
interface Sides {
  readonly wanted?: Piece | undefined
  readonly present?: Piece | undefined
}

function firstDifference({ wanted, present }: Sides, last: Sides): Finding {
  const difference = differs({
    member: '',
    line: present?.line ?? pastEnd(last.present),
    referenceLine: wanted?.line ?? pastEnd(last.wanted),
    ...excerpts(wanted?.text, present?.text),
  })
  return { by: 'lines', differences: [difference], notes: [] }
}

function pastEnd(last: Piece | undefined): number {
  return (last?.line ?? 0) + 1
}

function pieces(text: string, strictness: Strictness): Iterator<Piece, undefined> {
  switch (strictness) {
    case 'text':
      return words(text)
    case 'text-lines':
      return lines(text.trimEnd(), (line) => line.trimEnd())
    case 'text-exact':
      return lines(text.endsWith('\n') ? text.slice(0, -1) : text, (line) => line)
    default:
      return strictness satisfies never
  }
}

function* lines(text: string, normalized: (line: string) => string): Generator<Piece, undefined> {
  if (text === '') return
  let start = 0
  for (let line = 1; ; line++) {
    const end = text.indexOf('\n', start)
    yield { text: normalized(text.slice(start, end < 0 ? text.length : end)), line }
    if (end < 0) return
    start = end + 1
  }
}

function* words(text: string): Generator<Piece, undefined> {
  let line = 1
  for (const [piece] of text.matchAll(/\n|\S+/g)) {
    if (piece === '\n') line++
    else yield { text: piece, line }
  }
}
