import type { CompareSettings } from './compare-options.js'
import type { PairedDelta, ScoreComparison } from './comparison.js'
import type { BothSides } from './item-measures.js'
import { adjustedScores, meanTest } from './mean-test.js'
import type { NamedMeasure } from './named-measures.js'
import { deltasOf, type PairedColumn, pairedDelta, pairedRateDelta } from './paired-delta.js'

/** One measure over all items. */
export interface MeasureColumn extends PairedColumn {
  /** `null`: the item has it not on both sides. */
  add(sides: Pick<BothSides, 'before' | 'after'> | null): void
}

/** An empty column. */
export function measureColumn(): MeasureColumn {
  const before: number[] = []
  const after: number[] = []
  return {
    before,
    after,
    add(sides) {
      if (sides === null) return
      before.push(sides.before)
      after.push(sides.after)
    },
  }
}

/** Named measures over all items, in the order of appearance. */
export interface NamedColumns {
  add(measures: readonly NamedMeasure[]): void
  /** Means on both sides, of the names that an item has on both. */
  deltas(settings: CompareSettings): Readonly<Record<string, PairedDelta>>
  /** Everything about every name; their tests are read together. */
  comparisons(settings: CompareSettings): Readonly<Record<string, ScoreComparison>>
}

interface NamedColumn {
  readonly paired: MeasureColumn
  readonly before: { sum: number; items: number }
  readonly after: { sum: number; items: number }
}

/** Named measures of no item yet. */
export function namedColumns(): NamedColumns {
  const columns = new Map<string, NamedColumn>()

  function columnOf(name: string): NamedColumn {
    const known = columns.get(name)
    if (known !== undefined) return known
    const column = { paired: measureColumn(), before: { sum: 0, items: 0 }, after: { sum: 0, items: 0 } }
    columns.set(name, column)
    return column
  }

  return {
    add(measures) {
      for (const { name, paired, before, after } of measures) {
        const column = columnOf(name)
        column.paired.add(paired)
        count(column.before, before)
        count(column.after, after)
      }
    },
    deltas(settings) {
      const deltas = [...columns].map(([name, { paired }]) => [name, pairedDelta(paired, settings)] as const)
      return Object.fromEntries(deltas.flatMap(([name, delta]) => (delta === null ? [] : [[name, delta]])))
    },
    comparisons(settings) {
      const scores = [...columns].map(([name, column]) => [name, comparisonOf(name, column, settings)] as const)
      return adjustedScores([Object.fromEntries(scores)])[0] ?? {}
    },
  }
}

function count(total: { sum: number; items: number }, mean: number | null): void {
  if (mean === null) return
  total.sum += mean
  total.items += 1
}

function comparisonOf(
  name: string,
  { paired, before, after }: NamedColumn,
  settings: CompareSettings,
): ScoreComparison {
  const tolerance = settings.toleranceOf(name)
  const deltas = deltasOf(paired)
  const improvements = deltas.filter((delta) => delta > tolerance).length
  const regressions = deltas.filter((delta) => delta < -tolerance).length
  return {
    ...(pairedRateDelta(paired, settings) ?? nothingPaired),
    improvements,
    regressions,
    unchanged: deltas.length - improvements - regressions,
    ...(deltas.length === 0 ? {} : { permutation: meanTest(deltas) }),
    overall: {
      baselineMean: before.items === 0 ? null : before.sum / before.items,
      baselineItems: before.items,
      candidateMean: after.items === 0 ? null : after.sum / after.items,
      candidateItems: after.items,
    },
  }
}

const nothingPaired = {
  items: 0,
  baselineMean: null,
  candidateMean: null,
  delta: null,
  standardError: null,
  interval: null,
} as const
