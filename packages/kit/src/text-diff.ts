import { diffArrays } from 'diff'

/** One line of a difference. Line numbers are counted from 1. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
  /** The line number in the old text. Absent for added lines. */
  readonly before?: number
  /** The line number in the new text. Absent for removed lines. */
  readonly after?: number
}

/** A group of changes with the unchanged lines around them. */
export interface Hunk {
  /** The index of its first line in the difference. */
  readonly start: number
  readonly lines: readonly DiffLine[]
  /** The number of lines of each text before the first line of the hunk. */
  readonly skipped: { readonly before: number; readonly after: number }
}

/** The maximum length of an edit script. */
const maxEdits = 1_000
/** The maximum number of line comparisons, at 2 × lines for each edit: about half a second. */
const maxComparisons = 100_000_000

/**
 * Returns the shortest edit script from one array of lines to another. If it would be longer than 1,000 edits (fewer
 * for texts of more than 50,000 lines), everything between the equal start and the equal end counts as replaced. The
 * limits do not depend on time, so equal texts always give equal differences.
 */
export function lineDiff(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const start = commonLength(before, after)
  const [oldRest, newRest] = [before.slice(start), after.slice(start)]
  const end = commonLength(oldRest.toReversed(), newRest.toReversed())
  const edits = editsBetween(oldRest.slice(0, oldRest.length - end), newRest.slice(0, newRest.length - end))
  let [left, right] = [0, 0]
  const take = ({ kind, count }: Edits): readonly DiffLine[] =>
    Array.from({ length: count }, () => {
      if (kind === 'removed') return { kind, text: before[left] ?? '', before: ++left }
      if (kind === 'added') return { kind, text: after[right] ?? '', after: ++right }
      return { kind, text: after[right] ?? '', before: ++left, after: ++right }
    })
  return [{ kind: 'same' as const, count: start }, ...edits, { kind: 'same' as const, count: end }].flatMap(take)
}

interface Edits {
  readonly kind: DiffLine['kind']
  readonly count: number
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length++
  return length
}

function editsBetween(before: readonly string[], after: readonly string[]): readonly Edits[] {
  // Lines are numbered, so that comparing two of them takes the same time regardless of their length.
  const numbers = new Map<string, number>()
  const numbered = (lines: readonly string[]) =>
    lines.map((line) => {
      const number = numbers.get(line) ?? numbers.size
      numbers.set(line, number)
      return number
    })
  const affordable = Math.floor(maxComparisons / (2 * Math.max(1, before.length, after.length)))
  const found = diffArrays(numbered(before), numbered(after), { maxEditLength: Math.min(maxEdits, affordable) })
  if (found === undefined)
    return [
      { kind: 'removed', count: before.length },
      { kind: 'added', count: after.length },
    ]
  return found.map(({ added, removed, count }) => ({ kind: added ? 'added' : removed ? 'removed' : 'same', count }))
}

/**
 * Returns each change with up to `context` unchanged lines before and after it. Changes whose contexts touch share a
 * hunk.
 */
export function hunksOf(lines: readonly DiffLine[], context = 3): readonly Hunk[] {
  const ranges: { from: number; to: number }[] = []
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue
    const to = Math.min(lines.length, index + context + 1)
    const last = ranges.at(-1)
    if (last !== undefined && index - context <= last.to) last.to = to
    else ranges.push({ from: Math.max(0, index - context), to })
  }
  const skipped = { before: 0, after: 0 }
  let next = 0
  const pass = (to: number) => {
    for (; next < to; next++) {
      if (lines[next]?.before !== undefined) skipped.before++
      if (lines[next]?.after !== undefined) skipped.after++
    }
  }
  return ranges.map(({ from, to }) => {
    pass(from)
    return { start: from, lines: lines.slice(from, to), skipped: { ...skipped } }
  })
}

/** A part of a line. `isChanged` means that the other line lacks it. */
export interface Stretch {
  readonly text: string
  readonly isChanged: boolean
}

/** Both sides of a changed line. */
export interface WordDiff {
  readonly before: readonly Stretch[]
  readonly after: readonly Stretch[]
}

/** Words, runs of white space, and single signs. */
const words = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu
/** Longer lines, such as minified code, are compared as a whole. */
const maxLineLength = 4_000
const maxWordEdits = 200
/** Lines that share less than this fraction of their letters count as two lines instead of a changed one. */
const leastShared = 0.3

/**
 * Returns the words in which two lines differ; `undefined` if the lines have too little in common or are too long for a
 * useful comparison by words.
 */
export function wordDiff(before: string, after: string): WordDiff | undefined {
  if (Math.max(before.length, after.length) > maxLineLength) return undefined
  const found = diffArrays(before.match(words) ?? [], after.match(words) ?? [], { maxEditLength: maxWordEdits })
  if (found === undefined) return undefined
  const shared = found.flatMap(({ added, removed, value }) => (added || removed ? [] : value)).join('')
  const length = Math.max(before.trim().length, after.trim().length)
  if (shared.replace(/\s/g, '').length < leastShared * length) return undefined
  const side = (other: 'added' | 'removed') =>
    found.flatMap((part) => (part[other] ? [] : [{ text: part.value.join(''), isChanged: part.added || part.removed }]))
  return { before: side('added'), after: side('removed') }
}

const signs: { readonly [kind in DiffLine['kind']]: string } = { same: ' ', removed: '-', added: '+' }

/** Returns the lines of a unified diff, beginning with the first `@@`. Empty for equal texts. */
export function unifiedDiff(before: string, after: string): readonly string[] {
  return hunksOf(lineDiff(linesOf(before), linesOf(after))).flatMap(({ lines, skipped }) => {
    const removed = lines.filter((line) => line.before !== undefined).length
    const added = lines.filter((line) => line.after !== undefined).length
    return [`@@ -${range(skipped.before, removed)} +${range(skipped.after, added)} @@`, ...lines.flatMap(signed)]
  })
}

/** The line ends are kept, so that a missing last line end is a difference. */
function linesOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

/** Formats the range of a hunk header. An empty range has the number of the line before it. */
function range(skipped: number, length: number): string {
  const start = length === 0 ? skipped : skipped + 1
  return length === 1 ? `${start}` : `${start},${length}`
}

function signed({ kind, text }: DiffLine): readonly string[] {
  const line = `${signs[kind]}${text}`
  return line.endsWith('\n') ? [line.slice(0, -1)] : [line, '\\ No newline at end of file']
}
