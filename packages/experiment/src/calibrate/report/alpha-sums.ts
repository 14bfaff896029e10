import type { MeasurementLevel } from '../../result/statistics/krippendorff-alpha.js'
import { more, type Sums } from './agreement-sums.js'

/** Where the sums of Krippendorff's alpha stand; ratings are places of classes, or of the level `interval` numbers. */
export interface AlphaSums {
  readonly size: number
  /** Adds what was said of one item, twice or more. */
  readonly add: (sums: Sums, ratings: readonly number[], amount: number) => void
  readonly alpha: (sums: Float64Array) => number | null
}

/** The sums of alpha of a level from the place `start` on. */
export function alphaSums(level: Exclude<MeasurementLevel, 'ratio'>, classes: number, start: number): AlphaSums {
  switch (level) {
    case 'nominal':
      return nominalSums(classes, start)
    case 'ordinal':
      return ordinalSums(classes, start)
    case 'interval':
      return intervalSums(start)
    default:
      return level satisfies never
  }
}

function nominalSums(classes: number, start: number): AlphaSums {
  const observed = start + classes
  return {
    size: classes + 1,
    add(sums, ratings, amount) {
      for (const rating of ratings) more(sums, start + rating, amount)
      const equal = ratings.reduce((pairs, one) => pairs + ratings.filter((other) => other === one).length, 0)
      more(sums, observed, (amount * (ratings.length ** 2 - equal)) / (ratings.length - 1))
    },
    alpha(sums) {
      const counts = sums.subarray(start, start + classes)
      const n = counts.reduce((sum, count) => sum + count, 0)
      return alphaOf(n, sums[observed] ?? 0, n ** 2 - counts.reduce((sum, count) => sum + count ** 2, 0))
    },
  }
}

/** The ordinal metric is the distance of middle ranks, which depend on the counts: the pairs are counted. */
function ordinalSums(classes: number, start: number): AlphaSums {
  const pairs = start + classes
  return {
    size: classes + classes ** 2,
    add(sums, ratings, amount) {
      for (const [index, one] of ratings.entries()) {
        more(sums, start + one, amount)
        for (const [place, other] of ratings.entries())
          if (place !== index) more(sums, pairs + one * classes + other, amount / (ratings.length - 1))
      }
    },
    alpha(sums) {
      const ranks = new Float64Array(classes)
      let n = 0
      for (let place = 0; place < classes; place += 1) {
        const count = sums[start + place] ?? 0
        ranks[place] = n + count / 2
        n += count
      }
      let [observed, expected] = [0, 0]
      for (let one = 0; one < classes; one += 1)
        for (let other = 0; other < classes; other += 1) {
          const apart = ((ranks[one] ?? 0) - (ranks[other] ?? 0)) ** 2
          observed += apart * (sums[pairs + one * classes + other] ?? 0)
          expected += apart * (sums[start + one] ?? 0) * (sums[start + other] ?? 0)
        }
      return alphaOf(n, observed, expected)
    },
  }
}

function intervalSums(start: number): AlphaSums {
  const [count, sum, squares, observed] = [start, start + 1, start + 2, start + 3]
  return {
    size: 4,
    add(sums, ratings, amount) {
      const total = ratings.reduce((all, rating) => all + rating, 0)
      const squared = ratings.reduce((all, rating) => all + rating ** 2, 0)
      more(sums, count, amount * ratings.length)
      more(sums, sum, amount * total)
      more(sums, squares, amount * squared)
      more(sums, observed, (amount * 2 * (ratings.length * squared - total ** 2)) / (ratings.length - 1))
    },
    alpha(sums) {
      const [n = 0, total = 0, squared = 0, apart = 0] = sums.subarray(start, start + 4)
      return alphaOf(n, apart, 2 * (n * squared - total ** 2))
    },
  }
}

/** Krippendorff 2011: 1 − (n − 1) · observed/expected disagreement. */
function alphaOf(n: number, observed: number, expected: number): number | null {
  return expected <= 0 ? null : 1 - ((n - 1) * observed) / expected
}
