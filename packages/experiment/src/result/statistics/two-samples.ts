/** The result of the test whether two samples have the same distribution. */
export interface TwoSamples {
  /** The largest distance between their distribution functions. */
  readonly statistic: number
  /** `null`: a sample is empty. */
  readonly pValue: number | null
}

/** Above this product of the sizes the limit distribution is used: it is exact to three digits there. */
const mostCells = 20_000_000

/**
 * The two-sample test of Kolmogorov and Smirnov, two-sided. The p-value is exact, also where values are tied: the share of
 * all orders of the pooled values whose distance reaches the observed one, counted over lattice paths (Hodges 1958; Schröer and
 * Trenkler 1995 for ties). For very large samples it is Kolmogorov's limit.
 */
export function kolmogorovSmirnov(first: readonly number[], second: readonly number[]): TwoSamples {
  const [n, m] = [first.length, second.length]
  if (n === 0 || m === 0) return { statistic: 0, pValue: null }
  const steps = pooledSteps(first, second)
  const statistic = Math.max(...steps.map(({ ones, others }) => Math.abs(ones / n - others / m)))
  return { statistic, pValue: n * m > mostCells ? limitOf(statistic, n, m) : exactOf(statistic, n, m, steps) }
}

/** After each different value of the pooled samples: how many values of each are at most that. */
interface Step {
  readonly ones: number
  readonly others: number
}

function pooledSteps(first: readonly number[], second: readonly number[]): readonly Step[] {
  const counts = new Map<number, [number, number]>()
  for (const [index, values] of [first, second].entries())
    for (const value of values) {
      const count = counts.get(value) ?? [0, 0]
      counts.set(value, count)
      count[index as 0] += 1
    }
  let [ones, others] = [0, 0]
  const sorted = [...counts].sort(([one], [other]) => one - other)
  return sorted.map(([, [more, further]]) => {
    ones += more
    others += further
    return { ones, others }
  })
}

/**
 * One minus the share of paths from (0, 0) to (n, m) that stay closer than the statistic. The last step to (i, j) is one of
 * the first sample with probability i / (i + j). Within tied values a path has no distance.
 */
function exactOf(statistic: number, n: number, m: number, steps: readonly Step[]): number {
  const isEnd = new Uint8Array(n + m + 1)
  for (const { ones, others } of steps) isEnd[ones + others] = 1
  // Distances are multiples of 1 / (n m); half of that keeps rounding from deciding.
  const reached = statistic - 0.5 / (n * m)
  const inside = new Float64Array(m + 1)
  for (let i = 0; i <= n; i += 1)
    for (let j = 0; j <= m; j += 1) {
      const isOutside = isEnd[i + j] === 1 && Math.abs(i / n - j / m) > reached
      if (isOutside) inside[j] = 0
      else if (i + j === 0) inside[j] = 1
      else {
        const fromOne = i === 0 ? 0 : (inside[j] ?? 0) * i
        const fromOther = j === 0 ? 0 : (inside[j - 1] ?? 0) * j
        inside[j] = (fromOne + fromOther) / (i + j)
      }
    }
  return Math.min(1, Math.max(0, 1 - (inside[m] ?? 0)))
}

/** Kolmogorov 1933: the distribution of the statistic for large samples. */
function limitOf(statistic: number, n: number, m: number): number {
  const scaled = statistic * Math.sqrt((n * m) / (n + m))
  let sum = 0
  for (let k = 1; k <= 100; k += 1) sum += (k % 2 === 1 ? 2 : -2) * Math.exp(-2 * k * k * scaled * scaled)
  return scaled < 0.2 ? 1 : Math.min(1, Math.max(0, sum))
}
