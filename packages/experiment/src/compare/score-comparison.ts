import type { CompareSettings } from './compare-options.js'
import type { ScoreComparison } from './comparison.js'
import type { BothSides } from './item-measures.js'
import type { NamedMeasure } from './named-measures.js'
import { pairedDelta } from './paired-delta.js'

/** One name over all items. */
interface Column {
  readonly paired: BothSides[]
  readonly before: { sum: number; items: number }
  readonly after: { sum: number; items: number }
}

/** Every named number over all items, in the order of appearance. */
export function scoreComparisons(
  items: Iterable<readonly NamedMeasure[]>,
  settings: CompareSettings,
): Readonly<Record<string, ScoreComparison>> {
  const columns = new Map<string, Column>()
  for (const measures of items) for (const measure of measures) add(columns, measure)
  return Object.fromEntries([...columns].map(([name, column]) => [name, comparisonOf(name, column, settings)]))
}

function add(columns: Map<string, Column>, { name, paired, before, after }: NamedMeasure): void {
  const column = columns.get(name) ?? { paired: [], before: { sum: 0, items: 0 }, after: { sum: 0, items: 0 } }
  columns.set(name, column)
  if (paired !== null) column.paired.push(paired)
  for (const [total, mean] of [[column.before, before] as const, [column.after, after] as const]) {
    if (mean === null) continue
    total.sum += mean
    total.items += 1
  }
}

function comparisonOf(name: string, { paired, before, after }: Column, settings: CompareSettings): ScoreComparison {
  const tolerance = settings.toleranceOf(name)
  const deltas = paired.map((sides) => sides.after - sides.before)
  const improvements = deltas.filter((delta) => delta > tolerance).length
  const regressions = deltas.filter((delta) => delta < -tolerance).length
  return {
    ...(pairedDelta(paired, settings) ?? nothingPaired),
    improvements,
    regressions,
    unchanged: deltas.length - improvements - regressions,
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
