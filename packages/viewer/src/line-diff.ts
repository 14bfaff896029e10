/** One line of a difference, with its numbers on both sides, counted from 1. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
  /** Absent for added lines. */
  readonly before?: number
  /** Absent for removed lines. */
  readonly after?: number
}

/** With more changes than these, what lies between the equal ends is shown whole: old lines, then new ones. */
const maxEdits = 1_500

/**
 * The lines of two texts, with the fewest changes between them (Myers 1986).
 *
 * @example
 * lineDiff('a\nb', 'a\nc') // same a, removed b, added c
 */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [linesOf(before), linesOf(after)]
  const head = commonLength(old, now)
  const tail = commonLength(old.slice(head).reverse(), now.slice(head).reverse())
  const middle = edits(old.slice(head, old.length - tail), now.slice(head, now.length - tail))
  const kinds = [...same(head), ...middle, ...same(tail)]
  let [left, right] = [0, 0]
  return kinds.map((kind): DiffLine => {
    if (kind === 'removed') return { kind, text: old[left] ?? '', before: ++left }
    if (kind === 'added') return { kind, text: now[right] ?? '', after: ++right }
    return { kind, text: now[right] ?? '', before: ++left, after: ++right }
  })
}

type Kind = DiffLine['kind']

function same(length: number): readonly Kind[] {
  return new Array<Kind>(length).fill('same')
}

/** A last line without an end is another line than one with it; the missing end is not shown. */
function linesOf(text: string): readonly string[] {
  if (text === '') return []
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length++
  return length
}

function edits(a: readonly string[], b: readonly string[]): readonly Kind[] {
  const rounds: Map<number, number>[] = []
  let reached = new Map<number, number>([[1, 0]])
  for (let round = 0; round <= Math.min(maxEdits, a.length + b.length); round++) {
    rounds.push(new Map(reached))
    const next = new Map<number, number>()
    for (let diagonal = -round; diagonal <= round; diagonal += 2) {
      let x = entered(reached, diagonal, round)
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++
      next.set(diagonal, x)
      if (x >= a.length && x - diagonal >= b.length) return traced(rounds, a.length, b.length)
    }
    reached = next
  }
  return [...a.map((): Kind => 'removed'), ...b.map((): Kind => 'added')]
}

function at(reached: ReadonlyMap<number, number>, diagonal: number): number {
  return reached.get(diagonal) ?? -1
}

/** How far along `a` a diagonal begins: from the one above by an added line, or from the one beside by a removed one. */
function entered(reached: ReadonlyMap<number, number>, diagonal: number, round: number): number {
  return isAdded(reached, diagonal, round) ? at(reached, diagonal + 1) : at(reached, diagonal - 1) + 1
}

function isAdded(reached: ReadonlyMap<number, number>, diagonal: number, round: number): boolean {
  return diagonal === -round || (diagonal !== round && at(reached, diagonal - 1) < at(reached, diagonal + 1))
}

function traced(rounds: readonly ReadonlyMap<number, number>[], width: number, height: number): readonly Kind[] {
  const kinds: Kind[] = []
  let [x, y] = [width, height]
  for (let round = rounds.length - 1; round >= 0; round--) {
    const reached = rounds[round] ?? new Map<number, number>()
    const from = round === 0 ? 0 : entered(reached, x - y, round)
    while (x > from && y > 0) {
      kinds.push('same')
      x--
      y--
    }
    if (round === 0) break
    const added = isAdded(reached, x - y, round)
    kinds.push(added ? 'added' : 'removed')
    if (added) y--
    else x--
  }
  return kinds.reverse()
}
