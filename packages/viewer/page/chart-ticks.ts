/** Two to five round numbers from 0 to the first one that is not below `most`. */
export function ticksTo(most: number): readonly number[] {
  if (!(most > 0) || !Number.isFinite(most)) return [0, 1]
  const power = 10 ** Math.floor(Math.log10(most))
  const step = [0.25, 0.5, 1, 2.5].map((factor) => factor * power).find((one) => most / one <= 4) ?? 5 * power
  const count = Math.ceil(most / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}

const [second, minute, hour] = [1_000, 60_000, 3_600_000]
const timeSteps = [1, 2, 5, 10, 15, 30].flatMap((count) => [count * second, count * minute, count * hour])

/** Two to five lengths of time in milliseconds, from 0 to the first one that is not below `most`: whole minutes, not tenths. */
export function timeTicksTo(most: number): readonly number[] {
  const steps = timeSteps.toSorted((one, other) => one - other)
  const step = most < 4 * second ? undefined : steps.find((one) => most / one <= 4)
  if (step === undefined) return ticksTo(most)
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step)
}
