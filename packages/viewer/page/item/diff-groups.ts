import { type DiffLine, hunksOf, type Stretch, wordDiff } from '@jurist/kit/text-diff'

export interface LineGroup {
  readonly isHidden: boolean
  readonly lines: readonly DiffLine[]
}

/** How much of a file is shown at first. */
const maxShownLines = 1_000
/** At most this many lines are always shown: the row that hides them would take as much room. */
const fewLines = 2

/**
 * Groups the lines of a difference: those near its changes are shown, those between are hidden. If the contents are
 * equal, the beginning is shown. `place` is a line of the new content that is always shown, with the lines around it.
 */
export function groupsOf(lines: readonly DiffLine[], place?: number): readonly LineGroup[] {
  const isShown = new Set<number>()
  const show = (from: number, to: number) => {
    for (let index = Math.max(0, from); index < Math.min(lines.length, to); index++) isShown.add(index)
  }
  const hunks = hunksOf(lines)
  for (const hunk of hunks) show(hunk.start, hunk.start + Math.min(hunk.lines.length, maxShownLines))
  const at = place === undefined ? -1 : lines.findIndex(({ after }) => after === place)
  if (hunks.length === 0) {
    const start = Math.max(0, at - maxShownLines / 2)
    show(start, start + maxShownLines)
  } else if (at >= 0) show(at - 3, at + 4)
  return inGroups(lines, (index) => isShown.has(index)).map((group) =>
    group.isHidden && group.lines.length <= fewLines ? { ...group, isHidden: false } : group,
  )
}

function inGroups(lines: readonly DiffLine[], isShown: (index: number) => boolean): readonly LineGroup[] {
  const groups: { isHidden: boolean; lines: DiffLine[] }[] = []
  for (const [index, line] of lines.entries()) {
    const isHidden = !isShown(index)
    const last = groups.at(-1)
    if (last?.isHidden === isHidden) last.lines.push(line)
    else groups.push({ isHidden, lines: [line] })
  }
  return groups
}

export type LinePair = readonly [before: DiffLine | undefined, after: DiffLine | undefined]

/**
 * Pairs the lines of two columns: unchanged lines with themselves, removed lines with the added lines that replace
 * them.
 */
export function pairsOf(lines: readonly DiffLine[]): readonly LinePair[] {
  const pairs: [DiffLine | undefined, DiffLine | undefined][] = []
  let unpaired = 0
  for (const line of lines) {
    if (line.kind === 'removed') {
      pairs.push([line, undefined])
      unpaired++
    } else if (line.kind === 'added' && unpaired > 0) {
      const pair = pairs[pairs.length - unpaired]
      if (pair !== undefined) pair[1] = line
      unpaired--
    } else {
      pairs.push(line.kind === 'added' ? [undefined, line] : [line, line])
      unpaired = 0
    }
  }
  return pairs
}

/**
 * Finds the changed words of lines that replace each other. Lines without an entry have changed as a whole, or not at
 * all.
 */
export function changedWords(lines: readonly DiffLine[]): ReadonlyMap<DiffLine, readonly Stretch[]> {
  const words = new Map<DiffLine, readonly Stretch[]>()
  for (const [before, after] of pairsOf(lines)) {
    if (before === undefined || after === undefined || before === after) continue
    const found = wordDiff(before.text, after.text)
    if (found === undefined) continue
    words.set(before, found.before)
    words.set(after, found.after)
  }
  return words
}
