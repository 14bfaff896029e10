export interface Dot {
  readonly index: number
  readonly id: string
  readonly name: string
  readonly text: string
  readonly x: number
  readonly y: number
  readonly low: number
  readonly high: number
}

export interface NamedDot extends Dot {
  readonly nameX: number
  readonly nameY: number
  readonly anchor: 'start' | 'end'
}

const [letter, line, gap] = [6.8, 14, 10]

/** Steps from the cheapest variant of the front to the best one, and on to the right edge. */
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

/** Places a name next to each dot where it hides no other name: above or below it, to the right or to the left. */
export function placedNames(
  dots: readonly Dot[],
  { left, right, top, bottom }: Readonly<Record<'left' | 'right' | 'top' | 'bottom', number>>,
): readonly NamedDot[] {
  const taken: Box[] = []
  return dots.map((dot) => {
    const width = dot.name.length * letter
    const places = rowsBeside(dot.y, taken.length).flatMap((y) => [
      { from: dot.x + gap, y, anchor: 'start' as const },
      { from: dot.x - gap - width, y, anchor: 'end' as const },
    ])
    const inside = places.filter(
      ({ from, y }) => from >= left && from + width <= right && y - line >= top && y <= bottom,
    )
    const free = inside.find(({ from, y }) => !taken.some((box) => covers(box, { from, to: from + width, y })))
    const { from, y, anchor } = free ?? inside[0] ?? { from: dot.x + gap, y: dot.y + 4, anchor: 'start' as const }
    taken.push({ from, to: from + width, y })
    return { ...dot, anchor, nameX: anchor === 'start' ? from : from + width, nameY: y }
  })
}

/**
 * Returns rows for a name, nearest first. There are enough that `taken` names, each over two rows at most, leave one
 * free.
 */
function rowsBeside(y: number, taken: number): readonly number[] {
  const rows = Array.from({ length: 2 * taken + 1 }, (_, row) => row * line)
  // The first candidate is above the line of the front, which leads to the right.
  return rows.flatMap((away) => [y - 8 - away, y + line + 2 + away])
}

function covers(one: Box, other: Box): boolean {
  return one.from < other.to && other.from < one.to && Math.abs(one.y - other.y) < line
}
