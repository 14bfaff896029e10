import { changeOf } from '../../compare/change-of.js'
import type { Comparison, ItemChange, ItemChangeKind, PairedDelta, ScoreComparison } from '../../compare/comparison.js'
import { dollars, duration, grouped, score, signed, unknown } from '../../result/amounts.js'
import { lineSection, type Section, tableSection } from '../section/section.js'
import type { Column } from '../table/text-table.js'
import { runName } from '../trial-outcome.js'
import { comparisonHeadline } from './comparison-headline.js'

const right = (title: string): Column => ({ title, align: 'right' })

/** A comparison in full: what it amounts to, what got worse before what got better, and what a reader must know. */
export function comparisonSections(comparison: Comparison): readonly Section[] {
  const { baseline, candidate, items, differences } = comparison
  return [
    {
      title: `${runName(candidate)} (${candidate.id}) compared with ${runName(baseline)} (${baseline.id})`,
      lines: comparisonHeadline(comparison),
    },
    ...changeSection('Regressed', items, 'regressed'),
    ...changeSection('Improved', items, 'improved'),
    ...changeSection('Scores moved, pass rate the same', items, 'scores-moved'),
    ...measureSection(comparison),
    ...scoreSection('Scores', comparison.scores),
    ...scoreSection('Criteria', comparison.checks),
    ...tableSection(
      'Conditions that differ',
      [{ title: 'Condition' }, { title: 'Baseline' }, { title: 'Candidate' }],
      differences.map((one) => [one.condition, JSON.stringify(one.baseline), JSON.stringify(one.candidate)]),
    ),
    ...lineSection('Notes', comparison.notes),
  ]
}

/** Items that changed in one way, the greatest changes first. */
function changeSection(title: string, items: readonly ItemChange[], kind: ItemChangeKind): readonly Section[] {
  const columns = [{ title: 'Item' }, right('Passed'), { title: 'Scores' }, right('Cost'), right('Time')]
  const changed = items.filter((item) => changeOf(item) === kind)
  const ordered = changed.toSorted((one, other) => Math.abs(other.passDelta ?? 0) - Math.abs(one.passDelta ?? 0))
  const rows = ordered.map((item) => [
    item.itemId,
    signed(item.passDelta),
    changedScores(item),
    signed(item.costDeltaUsd, dollars),
    signed(item.durationDeltaMs, duration),
  ])
  return tableSection(`${title} (${rows.length})`, columns, rows)
}

function changedScores({ scoreDeltas }: ItemChange): string {
  const changed = Object.entries(scoreDeltas).filter(([, delta]) => Math.abs(delta) >= 0.005)
  return changed.map(([key, delta]) => `${key} ${signed(delta)}`).join(', ')
}

function measureSection({ costUsd, tokens, durationMs, efficiency }: Comparison): readonly Section[] {
  const columns = [
    { title: 'Per item' },
    right('Items'),
    right('Baseline'),
    right('Candidate'),
    right('Change'),
    right('95 %'),
  ]
  const measures: readonly (readonly [string, PairedDelta | null, (value: number) => string])[] = [
    ['cost', costUsd, dollars],
    ['tokens', tokens, grouped],
    ['time', durationMs, duration],
    ...Object.entries(efficiency).map(([key, delta]) => [`efficiency.${key}`, delta, score] as const),
  ]
  const rows = measures.flatMap(([name, delta, show]) => {
    if (delta === null) return []
    const { items, baselineMean, candidateMean, interval } = delta
    const bounds = interval === null ? unknown : `${signed(interval.low, show)} to ${signed(interval.high, show)}`
    return [[name, grouped(items), show(baselineMean), show(candidateMean), signed(delta.delta, show), bounds]]
  })
  return tableSection('Cost, tokens, time', columns, rows)
}

/**
 * Scores over the items that both sides have. Where one side has more of them than pairs are, because a tier or a run did
 * not get so far on the other, the items of each side are shown.
 */
function scoreSection(title: string, scores: Readonly<Record<string, ScoreComparison>>): readonly Section[] {
  const paired = Object.entries(scores).filter(([, { items }]) => items > 0)
  const sides = ({ items, overall }: ScoreComparison) =>
    [overall.baselineItems, overall.candidateItems].map((count) => Math.max(items, count))
  const isUneven = paired.some(([, one]) => sides(one).some((count) => count > one.items))
  const columns = [
    { title: 'Name' },
    right('Pairs'),
    right('Baseline'),
    right('Candidate'),
    right('Change'),
    right('Better'),
    right('Worse'),
    ...(isUneven ? [right('n baseline'), right('n candidate')] : []),
  ]
  const rows = paired.map(([key, one]) => [
    key,
    grouped(one.items),
    score(one.baselineMean),
    score(one.candidateMean),
    signed(one.delta),
    grouped(one.improvements),
    grouped(one.regressions),
    ...(isUneven ? sides(one).map((count) => grouped(count)) : []),
  ])
  return tableSection(title, columns, rows)
}
