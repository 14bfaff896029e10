/** The places of values in a chart of runs: one column for each run. */
export interface TrendScale {
  readonly x: (index: number) => number
  readonly y: (value: number) => number
  /** The width of a column. */
  readonly column: number
  /** The values of the horizontal lines. */
  readonly ticks: readonly number[]
}

/** The box that a chart draws in. */
export interface TrendBox {
  readonly width: number
  readonly height: number
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** The scale of `count` runs with values from 0 to the last tick. */
export function trendScale(count: number, ticks: readonly number[], box: TrendBox): TrendScale {
  const { width, height, left, right, top, bottom } = box
  const column = Math.max(1, width - left - right) / Math.max(1, count)
  const highest = ticks.at(-1) ?? 1
  return {
    x: (index) => left + (index + 0.5) * column,
    y: (value) => height - bottom - (value / highest) * (height - top - bottom),
    column,
    ticks,
  }
}

/** Neighbours that are all known; a value that is not known interrupts a line. */
export function stretches<Value>(values: readonly (Value | null)[]): readonly (readonly [number, Value][])[] {
  const found: [number, Value][][] = [[]]
  for (const [index, value] of values.entries())
    if (value === null) found.push([])
    else found.at(-1)?.push([index, value])
  return found.filter(({ length }) => length > 0)
}

/** The path of a line through known values. */
export function linePath(values: readonly (number | null)[], { x, y }: TrendScale): string {
  return stretches(values)
    .map((stretch) => `M${stretch.map(([index, value]) => `${x(index).toFixed(1)} ${y(value).toFixed(1)}`).join('L')}`)
    .join('')
}

/** The outline of the area between two values. A run alone has an area of half a column. */
export function bandPath(
  bounds: readonly ({ readonly low: number; readonly high: number } | null)[],
  { x, y, column }: TrendScale,
): string {
  const point = (at: number, value: number) => `${at.toFixed(1)} ${y(value).toFixed(1)}`
  return stretches(bounds)
    .map((stretch) => {
      const places = stretch.length > 1 ? stretch.map(([index, bound]) => [x(index), bound] as const) : []
      for (const [index, bound] of stretch.length === 1 ? stretch : [])
        places.push([x(index) - column / 4, bound], [x(index) + column / 4, bound])
      const upper = places.map(([at, { high }]) => point(at, high))
      const lower = places.map(([at, { low }]) => point(at, low)).reverse()
      return `M${[...upper, ...lower].join('L')}Z`
    })
    .join('')
}

/**
 * The labels that fit beside each other, from the last one back, since the latest matter most.
 *
 * @param width the width of a letter
 */
export function fittingLabels<Label extends { readonly at: number; readonly text: string }>(
  labels: readonly Label[],
  { x }: Pick<TrendScale, 'x'>,
  { width, right }: { readonly width: number; readonly right: number },
): readonly Label[] {
  const fitting: Label[] = []
  let free = right
  for (const label of labels.toReversed()) {
    const half = (label.text.length * width) / 2 + 4
    const end = Math.min(x(label.at) + half, right)
    if (end > free) continue
    fitting.unshift(label)
    free = end - 2 * half
  }
  return fitting
}
