/** A line of a difference: in both texts, only in the old one, or only in the new one. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** The most edits that are looked for: beyond, everything between the equal ends counts as replaced. */
const maxEdits = 1_000
/** The most lines that are compared on the way: long stretches of equal lines would be walked on every diagonal. */
const maxSteps = 5_000_000

/**
 * The shortest way from one list of lines to another by removing and adding lines: the greedy algorithm of E. W. Myers,
 * "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1 (1986). With more than 1,000 edits the middle is
 * given as removed and added whole, and so it is after 5,000,000 steps, so that time and memory stay bounded.
 */
export function lineDiff(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const start = commonStart(before, after)
  const end = commonEnd(before, after, start)
  const [old, fresh] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  return [
    ...marked('same', before.slice(0, start)),
    ...middleDiff(old, fresh),
    ...marked('same', before.slice(before.length - end)),
  ]
}

function marked(kind: DiffLine['kind'], lines: readonly string[]): readonly DiffLine[] {
  return lines.map((text) => ({ kind, text }))
}

function commonStart(before: readonly string[], after: readonly string[]): number {
  const most = Math.min(before.length, after.length)
  let length = 0
  while (length < most && before[length] === after[length]) length += 1
  return length
}

function commonEnd(before: readonly string[], after: readonly string[], start: number): number {
  const most = Math.min(before.length, after.length) - start
  let length = 0
  while (length < most && before[before.length - 1 - length] === after[after.length - 1 - length]) length += 1
  return length
}

function middleDiff(old: readonly string[], fresh: readonly string[]): readonly DiffLine[] {
  const rounds = old.length > 0 && fresh.length > 0 ? furthestReaching(old, fresh) : undefined
  return rounds === undefined ? [...marked('removed', old), ...marked('added', fresh)] : walkBack(old, fresh, rounds)
}

/**
 * What each round reached: round d holds, for every diagonal k from -d to d, the furthest line of the old text that d
 * edits can reach, at index k + d. `undefined` when the texts are too far apart.
 */
function furthestReaching(old: readonly string[], fresh: readonly string[]): readonly Int32Array[] | undefined {
  const rounds: Int32Array[] = []
  let steps = 0
  for (let edits = 0; edits <= Math.min(old.length + fresh.length, maxEdits); edits++) {
    const reached = new Int32Array(2 * edits + 1)
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = stepInto(rounds[edits - 1], edits - 1, diagonal).x
      while (x < old.length && x - diagonal < fresh.length && old[x] === fresh[x - diagonal]) {
        x += 1
        steps += 1
      }
      if (steps > maxSteps) return undefined
      reached[diagonal + edits] = x
      if (x >= old.length && x - diagonal >= fresh.length) return [...rounds, reached]
    }
    rounds.push(reached)
  }
  return undefined
}

/** The better step onto a diagonal from the round before: down (a line added) or to the right (a line removed). */
function stepInto(
  previous: Int32Array | undefined,
  edits: number,
  diagonal: number,
): { readonly x: number; readonly from: number } {
  if (previous === undefined) return { x: 0, from: 0 }
  const above = previous[diagonal + 1 + edits] ?? -1
  const left = previous[diagonal - 1 + edits] ?? -1
  return left < above ? { x: above, from: diagonal + 1 } : { x: left + 1, from: diagonal - 1 }
}

function walkBack(
  old: readonly string[],
  fresh: readonly string[],
  rounds: readonly Int32Array[],
): readonly DiffLine[] {
  const lines: DiffLine[] = []
  let x = old.length
  let y = fresh.length
  const same = (until: number) => {
    for (; x > until; x--, y--) lines.push({ kind: 'same', text: old[x - 1] ?? '' })
  }
  for (let edits = rounds.length - 1; edits > 0; edits--) {
    const diagonal = x - y
    const step = stepInto(rounds[edits - 1], edits - 1, diagonal)
    same(step.x)
    if (step.from > diagonal) lines.push({ kind: 'added', text: fresh[--y] ?? '' })
    else lines.push({ kind: 'removed', text: old[--x] ?? '' })
  }
  same(0)
  return lines.reverse()
}
