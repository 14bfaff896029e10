import type { AlikeUnits } from '../../result/statistics/bootstrap.js'

/** Amounts added to numbered sums; `undefined`: nothing yet. */
export type Sums = Map<number, number>

/** Where the sums of a table of classes stand: its margins and its diagonal are enough for every measure of agreement. */
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
export function more(sums: Sums, place: number, amount: number): void {
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
