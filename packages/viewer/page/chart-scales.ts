/** Returns two to five round numbers, from 0 to the first one that is not below `most`. */
export function ticksTo(most: number): readonly number[] {
  if (!(most > 0) || !Number.isFinite(most)) return [0, 1]
  const power = 10 ** Math.floor(Math.log10(most))
  const step = [0.25, 0.5, 1, 2.5].map((factor) => factor * power).find((one) => most / one <= 4) ?? 5 * power
  const count = Math.ceil(most / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}

const [second, minute, hour] = [1_000, 60_000, 3_600_000]
const timeSteps = [1, 2, 5, 10, 15, 30].flatMap((count) => [count * second, count * minute, count * hour])

/**
 * Returns two to five durations in milliseconds, from 0 to the first one that is not below `most`: whole minutes, not
 * tenths.
 */
export function timeTicksTo(most: number): readonly number[] {
  const steps = timeSteps.toSorted((one, other) => one - other)
  const step = most < 4 * second ? undefined : steps.find((one) => most / one <= 4)
  if (step === undefined) return ticksTo(most)
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step)
}

/** Maps the interval `from` to the interval `to`, in pixels. */
export function linear(from: readonly [number, number], to: readonly [number, number]): (value: number) => number {
  return (value) => to[0] + ((value - from[0]) / (from[1] - from[0])) * (to[1] - to[0])
}

/** Splits values into runs of known ones. A missing value interrupts a line. */
function stretches<Value>(values: readonly (Value | null)[]): readonly (readonly Value[])[] {
  const found: Value[][] = [[]]
  for (const value of values)
    if (value === null) found.push([])
    else found.at(-1)?.push(value)
  return found.filter(({ length }) => length > 0)
}

function pointText(x: number, y: number): string {
  return `${x.toFixed(1)} ${y.toFixed(1)}`
}

/** Returns the SVG path of a line through the known points, in pixels. */
export function linePath(places: readonly (readonly [x: number, y: number] | null)[]): string {
  return stretches(places)
    .map((stretch) => `M${stretch.map(([x, y]) => pointText(x, y)).join('L')}`)
    .join('')
}

/** Returns the SVG path of the area between two lines, in pixels. */
export function bandPath(places: readonly (readonly [x: number, low: number, high: number] | null)[]): string {
  return stretches(places)
    .map((stretch) => {
      const lower = stretch.toReversed().map(([x, low]) => pointText(x, low))
      return `M${[...stretch.map(([x, , high]) => pointText(x, high)), ...lower].join('L')}Z`
    })
    .join('')
}

/**
 * Returns the labels that fit next to each other. It starts at the last one, since the latest matter most.
 *
 * @param x the position of a label
 * @param letter the width of a letter
 */
export function fittingLabels<Label extends { readonly at: number; readonly text: string }>(
  labels: readonly Label[],
  x: (at: number) => number,
  { letter, right }: { readonly letter: number; readonly right: number },
): readonly Label[] {
  const fitting: Label[] = []
  let free = right
  for (const label of labels.toReversed()) {
    const half = (label.text.length * letter) / 2 + 4
    const end = Math.min(x(label.at) + half, right)
    if (end > free) continue
    fitting.unshift(label)
    free = end - 2 * half
  }
  return fitting
}
