/**
 * Statistics of agreement written down as textbooks define them, from pairs of ratings, with no regard for speed or
 * rounding: a second opinion on those of the package, with which they share no line.
 */

/** A pair of ratings for each count of a confusion matrix. */
export function pairsOf(matrix: readonly (readonly number[])[]): readonly (readonly [number, number])[] {
  return matrix.flatMap((row, i) => row.flatMap((count, j) => Array.from({ length: count }, () => [i, j] as const)))
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Weighted agreement of all pairs of ratings that were made, beside that of all that could have been put together. */
export function slowKappa(matrix: readonly (readonly number[])[], weight: (i: number, j: number) => number): number {
  const pairs = pairsOf(matrix)
  const observed = mean(pairs.map(([i, j]) => weight(i, j)))
  const chance = mean(pairs.flatMap(([i]) => pairs.map(([, j]) => weight(i, j))))
  return (observed - chance) / (1 - chance)
}

/** The standard error by the delta method, with the slope of kappa in each cell found by moving it a little. */
export function slowKappaError(
  matrix: readonly (readonly number[])[],
  weight: (i: number, j: number) => number,
): number {
  const n = pairsOf(matrix).length
  const shares = matrix.map((row) => row.map((count) => count / n))
  const step = 1e-5
  const slopes = shares.map((row, i) =>
    row.map((_, j) => {
      const moved = (by: number) => shares.map((line, k) => line.map((p, l) => (k === i && l === j ? p + by : p)))
      return (kappaOfShares(moved(step), weight) - kappaOfShares(moved(-step), weight)) / (2 * step)
    }),
  )
  const expected = (power: number) =>
    shares.flatMap((row, i) => row.map((p, j) => p * (slopes[i]![j] as number) ** power)).reduce((a, b) => a + b, 0)
  return Math.sqrt((expected(2) - expected(1) ** 2) / n)
}

function kappaOfShares(shares: readonly (readonly number[])[], weight: (i: number, j: number) => number): number {
  let [observed, chance] = [0, 0]
  const row = shares.map((line) => line.reduce((a, b) => a + b, 0))
  const column = shares.map((_, j) => shares.reduce((sum, line) => sum + (line[j] as number), 0))
  for (const [i, line] of shares.entries())
    for (const [j, share] of line.entries()) {
      observed += weight(i, j) * share
      chance += weight(i, j) * (row[i] as number) * (column[j] as number)
    }
  return (observed - chance) / (1 - chance)
}

/** Fleiss: the share of pairs of raters that agree on an item, beside the chance that any two ratings do. */
export function slowFleiss(table: readonly (readonly number[])[]): number {
  const ratings = table.map((row) => row.flatMap((count, category) => Array.from({ length: count }, () => category)))
  const observed = mean(
    ratings.map((item) => {
      const others = item.flatMap((one, i) => item.flatMap((two, j) => (i === j ? [] : one === two ? 1 : 0)))
      return mean(others)
    }),
  )
  const all = ratings.flat()
  const chance = mean(all.flatMap((one) => all.map((two) => (one === two ? 1 : 0))))
  return (observed - chance) / (1 - chance)
}

/** Krippendorff by his coincidence matrix and his metrics, the ordinal one by cumulated frequencies. */
export function slowAlpha(ratings: readonly (readonly (number | null)[])[], level: string): number | null {
  const coincidences = new Map<string, number>()
  const totals = new Map<number, number>()
  for (const unit of (ratings[0] ?? []).keys()) {
    const values = ratings.flatMap((row) => row[unit] ?? [])
    for (const [i, c] of values.entries())
      for (const [j, k] of values.entries()) {
        if (i === j) continue
        const share = 1 / (values.length - 1)
        coincidences.set(`${c},${k}`, (coincidences.get(`${c},${k}`) ?? 0) + share)
        totals.set(c, (totals.get(c) ?? 0) + share)
      }
  }
  const values = [...totals.keys()].sort((a, b) => a - b)
  const n = [...totals.values()].reduce((a, b) => a + b, 0)
  const metric = (c: number, k: number): number => {
    if (c === k) return 0
    if (level === 'nominal') return 1
    if (level === 'interval') return (c - k) ** 2
    if (level === 'ratio') return ((c - k) / (c + k)) ** 2
    const between = values.filter((value) => value >= Math.min(c, k) && value <= Math.max(c, k))
    const ends = ((totals.get(c) ?? 0) + (totals.get(k) ?? 0)) / 2
    return (between.reduce((sum, value) => sum + (totals.get(value) ?? 0), 0) - ends) ** 2
  }
  let [observed, expected] = [0, 0]
  for (const c of values)
    for (const k of values) {
      observed += ((coincidences.get(`${c},${k}`) ?? 0) * metric(c, k)) / n
      expected += ((totals.get(c) as number) * (totals.get(k) as number) * metric(c, k)) / (n * (n - 1))
    }
  return n === 0 || expected === 0 ? null : 1 - observed / expected
}

/** Gwet: the chance that a rater guesses and another agrees, each category by how often both raters use it. */
export function slowAC1(matrix: readonly (readonly number[])[]): number {
  const pairs = pairsOf(matrix)
  const q = matrix.length
  const all = pairs.flat()
  const guesses = matrix.map((_, k) => {
    const use = mean(all.map((rating) => (rating === k ? 1 : 0)))
    return use * (1 - use)
  })
  const chance = guesses.reduce((a, b) => a + b, 0) / (q - 1)
  return (mean(pairs.map(([i, j]) => (i === j ? 1 : 0))) - chance) / (1 - chance)
}

/** Matthews: the covariance of the indicators of every class, over the root of their variances. */
export function slowMatthews(matrix: readonly (readonly number[])[]): number {
  const pairs = pairsOf(matrix)
  const covariance = (x: 0 | 1, y: 0 | 1) =>
    matrix
      .map((_, k) => {
        const [a, b] = [pairs.map((pair) => Number(pair[x] === k)), pairs.map((pair) => Number(pair[y] === k))]
        return mean(a.map((value, index) => (value - mean(a)) * ((b[index] as number) - mean(b))))
      })
      .reduce((sum, value) => sum + value, 0)
  return covariance(0, 1) / Math.sqrt(covariance(0, 0) * covariance(1, 1))
}

/** Pearson's correlation; `null` when a side does not vary. */
export function slowPearson(a: readonly number[], b: readonly number[]): number | null {
  const [meanA, meanB] = [mean(a), mean(b)]
  const spread = (values: readonly number[], middle: number) =>
    values.reduce((sum, value) => sum + (value - middle) ** 2, 0)
  if (new Set(a).size < 2 || new Set(b).size < 2) return null
  const together = a.reduce((sum, value, index) => sum + (value - meanA) * ((b[index] as number) - meanB), 0)
  return together / Math.sqrt(spread(a, meanA) * spread(b, meanB))
}

/** A rank: how many are smaller, and half of those that are equal. */
export function slowRanks(values: readonly number[]): readonly number[] {
  return values.map(
    (value) =>
      values.filter((other) => other < value).length + (values.filter((other) => other === value).length + 1) / 2,
  )
}

/** Kendall: every pair looked at. */
export function slowTauB(a: readonly number[], b: readonly number[]): number | null {
  let [balance, untiedA, untiedB] = [0, 0, 0]
  for (const i of a.keys())
    for (const j of a.keys()) {
      const [x, y] = [Math.sign((a[i] as number) - (a[j] as number)), Math.sign((b[i] as number) - (b[j] as number))]
      balance += x * y
      untiedA += Math.abs(x)
      untiedB += Math.abs(y)
    }
  return untiedA === 0 || untiedB === 0 ? null : balance / Math.sqrt(untiedA * untiedB)
}
