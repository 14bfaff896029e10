/** One line of a comparison. */
export interface LineChange {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/** More changes than these are not paired: what differs is then shown whole, old lines before new ones. */
const maxEdits = 1_000

/** What makes the lines of `after` out of those of `before`, with the fewest changes. */
export function lineDiff(before: readonly string[], after: readonly string[]): readonly LineChange[] {
  const head = commonHead(before, after)
  const tail = commonHead(before.slice(head).reverse(), after.slice(head).reverse())
  const [old, now] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)]
  return [
    ...as('same', before.slice(0, head)),
    ...(shortestEdit(old, now) ?? [...as('removed', old), ...as('added', now)]),
    ...as('same', before.slice(before.length - tail)),
  ]
}

function as(kind: LineChange['kind'], lines: readonly string[]): readonly LineChange[] {
  return lines.map((text) => ({ kind, text }))
}

function commonHead(a: readonly string[], b: readonly string[]): number {
  const most = Math.min(a.length, b.length)
  for (let at = 0; at < most; at++) if (a[at] !== b[at]) return at
  return most
}

/**
 * The shortest way from `a` to `b` by the greedy algorithm of Myers: `reached[k]` is how far into `a` the diagonal `k`
 * was followed with so many changes. `undefined` when it takes more than `maxEdits`.
 */
function shortestEdit(a: readonly string[], b: readonly string[]): readonly LineChange[] | undefined {
  const rounds: (readonly number[])[] = []
  let reached: readonly number[] = [0]
  for (let edits = 0; edits <= Math.min(maxEdits, a.length + b.length); edits++) {
    const now: number[] = []
    for (let k = -edits; k <= edits; k += 2) {
      let x = edits === 0 ? 0 : isDown(reached, edits, k) ? at(reached, edits, k + 1) : at(reached, edits, k - 1) + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      now.push(x)
      if (x >= a.length && x - k >= b.length) return traced(a, b, [...rounds, now])
    }
    rounds.push(now)
    reached = now
  }
  return undefined
}

/** How far the round before `edits` came on a diagonal; a round holds every second one, from `-edits` upwards. */
function at(reached: readonly number[], edits: number, k: number): number {
  return reached[(k + edits - 1) / 2] ?? Number.NEGATIVE_INFINITY
}

/** Whether a diagonal is best entered by a line of `b`. */
function isDown(reached: readonly number[], edits: number, k: number): boolean {
  return at(reached, edits, k - 1) < at(reached, edits, k + 1)
}

function traced(a: readonly string[], b: readonly string[], rounds: readonly (readonly number[])[]): LineChange[] {
  const backwards: LineChange[] = []
  let [x, y] = [a.length, b.length]
  for (let edits = rounds.length - 1; edits >= 0; edits--) {
    const k = x - y
    const reached = rounds[edits - 1] ?? []
    const down = edits > 0 && isDown(reached, edits, k)
    const from = edits === 0 ? 0 : down ? at(reached, edits, k + 1) : at(reached, edits, k - 1) + 1
    while (x > from) {
      x--
      y--
      backwards.push({ kind: 'same', text: a[x] ?? '' })
    }
    if (edits === 0) break
    if (down) backwards.push({ kind: 'added', text: b[--y] ?? '' })
    else backwards.push({ kind: 'removed', text: a[--x] ?? '' })
  }
  return backwards.reverse()
}
