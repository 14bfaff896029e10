import type { AlikeUnits } from '../../result/statistics/bootstrap.js'
import type { MeasurementLevel } from '../../result/statistics/krippendorff-alpha.js'

/** Amounts added to numbered sums; `undefined`: nothing yet. */
export type Sums = Map<number, number>

/** The places of the sums of a table of classes: its margins and its diagonal are enough for every measure of agreement. */
export interface TableSums {
  readonly size: number
  readonly add: (sums: Sums, expected: number, predicted: number, amount: number) => void
  readonly statistics: {
    readonly kappa: (sums: Float64Array) => number | null
    readonly linear: (sums: Float64Array) => number | null
    readonly quadratic: (sums: Float64Array) => number | null
    readonly gwetAC1: (sums: Float64Array) => number | null
    readonly mcc: (sums: Float64Array) => number | null
    readonly balancedAccuracy: (sums: Float64Array) => number | null
  }
}

/**
 * The sums of a table of `classes` classes.
 *
 * @param expectedClasses the classes that were expected: balanced accuracy is the mean of their recalls
 */
export function tableSums(classes: number, expectedClasses: readonly number[]): TableSums {
  const [columns, diagonal, weighted] = [classes, 2 * classes, 3 * classes]
  const weights = weightsOf(classes)
  return {
    size: weighted + weights.length,
    add(sums, expected, predicted, amount) {
      more(sums, expected, amount)
      more(sums, columns + predicted, amount)
      if (expected === predicted) more(sums, diagonal + expected, amount)
      for (const [index, weight] of weights.entries())
        more(sums, weighted + index, amount * weight(expected, predicted))
    },
    statistics: tableStatistics(classes, expectedClasses),
  }
}

type Weight = (row: number, column: number) => number

/** Linear and quadratic. */
function weightsOf(classes: number): readonly [Weight, Weight] {
  const far = Math.max(1, classes - 1)
  return [(row, column) => 1 - Math.abs(row - column) / far, (row, column) => 1 - (Math.abs(row - column) / far) ** 2]
}

function tableStatistics(classes: number, expectedClasses: readonly number[]): TableSums['statistics'] {
  const [rows, columns, diagonal, weighted] = [0, classes, 2 * classes, 3 * classes]
  const places = Array.from({ length: classes }, (_, place) => place)
  const weights = weightsOf(classes)
  const sumOver = (value: (place: number) => number) => places.reduce((sum, place) => sum + value(place), 0)
  const total = (sums: Float64Array) => sumOver((place) => at(sums, rows + place))
  const agreed = (sums: Float64Array) => sumOver((place) => at(sums, diagonal + place))
  const byChance = (sums: Float64Array) => sumOver((place) => at(sums, rows + place) * at(sums, columns + place))
  const kappa = (sums: Float64Array) => corrected(agreed(sums) / total(sums), byChance(sums) / total(sums) ** 2)
  const weightedKappa = (index: 0 | 1) => (sums: Float64Array) => {
    const chance = sumOver(
      (row) => at(sums, rows + row) * sumOver((column) => weights[index](row, column) * at(sums, columns + column)),
    )
    return corrected(at(sums, weighted + index) / total(sums), chance / total(sums) ** 2)
  }
  function gwetAC1(sums: Float64Array): number | null {
    const n = total(sums)
    const share = (place: number) => (at(sums, rows + place) + at(sums, columns + place)) / (2 * n)
    return corrected(agreed(sums) / n, sumOver((place) => share(place) * (1 - share(place))) / (classes - 1))
  }
  function mcc(sums: Float64Array): number | null {
    const n = total(sums)
    const spread = (margin: number) => n ** 2 - sumOver((place) => at(sums, margin + place) ** 2)
    const product = spread(rows) * spread(columns)
    return product <= 0 ? null : (agreed(sums) * n - byChance(sums)) / Math.sqrt(product)
  }
  function balancedAccuracy(sums: Float64Array): number | null {
    const recalls = expectedClasses.map((place) => at(sums, diagonal + place) / at(sums, rows + place))
    return recalls.some(Number.isNaN) ? null : recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length
  }
  return { kappa, linear: weightedKappa(0), quadratic: weightedKappa(1), gwetAC1, mcc, balancedAccuracy }
}

function at(sums: Float64Array, place: number): number {
  return sums[place] ?? 0
}

/** Agreement corrected for what chance gives. */
function corrected(observed: number, chance: number): number | null {
  return chance >= 1 ? null : (observed - chance) / (1 - chance)
}

/** Adds an amount to a sum. */
function more(sums: Sums, place: number, amount: number): void {
  if (amount !== 0) sums.set(place, (sums.get(place) ?? 0) + amount)
}

/** Units by what they add: those that add the same are of one kind. */
export function alikeUnits(units: readonly Sums[]): readonly AlikeUnits[] {
  const kinds = new Map<string, { units: number; readonly places: number[]; readonly amounts: number[] }>()
  for (const sums of units) {
    const entries = [...sums].sort(([one], [other]) => one - other)
    const key = entries.join(' ')
    const kind = kinds.get(key)
    if (kind !== undefined) kind.units += 1
    else
      kinds.set(key, {
        units: 1,
        places: entries.map(([place]) => place),
        amounts: entries.map(([, amount]) => amount),
      })
  }
  return [...kinds.values()]
}

/** The places of the sums of Krippendorff's alpha; ratings are places of classes, or of the level `interval` numbers. */
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
