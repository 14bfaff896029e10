/** A variant in the chart, in pixels. */
export interface Dot {
  readonly index: number
  readonly id: string
  readonly name: string
  /** The name and the values in words. */
  readonly text: string
  readonly x: number
  readonly y: number
  /** The bounds of the interval. */
  readonly low: number
  readonly high: number
}

/** A dot with the place of its name. */
export interface NamedDot extends Dot {
  readonly nameX: number
  readonly nameY: number
  readonly anchor: 'start' | 'end'
}

const [letter, line, gap] = [6.8, 14, 10]

/** Steps from the cheapest variant of the front to the best one, and on to the right. */
export function paretoPath(front: readonly Pick<Dot, 'x' | 'y'>[], right: number): string {
  const [first, ...others] = front
  if (first === undefined) return ''
  return `M${first.x} ${first.y}${others.map(({ x, y }) => `H${x}V${y}`).join('')}H${right}`
}

interface Box {
  readonly from: number
  readonly to: number
  readonly y: number
}

/** A place beside each dot where its name hides no other name: above or below it, to the right or to the left. */
export function placedNames(
  dots: readonly Dot[],
  { left, right }: { readonly left: number; readonly right: number },
): readonly NamedDot[] {
  const taken: Box[] = []
  return dots.map((dot) => {
    const width = dot.name.length * letter
    // Above the line of the front first, which leads to the right.
    const places = [-8, line + 2, -8 - line, 2 * line + 2].flatMap((shift) => [
      { from: dot.x + gap, y: dot.y + shift, anchor: 'start' as const },
      { from: dot.x - gap - width, y: dot.y + shift, anchor: 'end' as const },
    ])
    const inside = places.filter(({ from }) => from >= left && from + width <= right)
    const free = inside.find(({ from, y }) => !taken.some((box) => covers(box, { from, to: from + width, y })))
    const { from, y, anchor } = free ?? inside[0] ?? { from: dot.x + gap, y: dot.y + 4, anchor: 'start' as const }
    taken.push({ from, to: from + width, y })
    return { ...dot, anchor, nameX: anchor === 'start' ? from : from + width, nameY: y }
  })
}

function covers(one: Box, other: Box): boolean {
  return one.from < other.to && other.from < one.to && Math.abs(one.y - other.y) < line
}
