import { right } from '@jurist/kit/terminal'
import { behaviourRows, noBehaviour } from '../../compare/behaviour.js'
import { changeCounts, changeKinds, changeOf, changeWord } from '../../compare/changes.js'
import type {
  Comparison,
  ComparisonConclusion,
  ItemChange,
  ItemChangeKind,
  PairedDelta,
  ScoreComparison,
} from '../../compare/comparison.js'
import {
  byLabelsText,
  findings,
  flipsText,
  priceText,
  sequentialHeadline,
  testText,
  threeDigits,
} from '../../compare/comparison-words.js'
import { conclusionIn } from '../../compare/tally.js'
import {
  counted,
  dollars,
  duration,
  grouped,
  levelText,
  percent,
  points,
  pValue,
  signed,
  unknown,
} from '../../result/amounts.js'
import type { Interval } from '../../result/summary.js'
import { lineSection, type Section, valuesSection } from '../sections.js'
import { runName } from './run.js'

/** A full comparison: the conclusion, regressions before improvements, then notes. */
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
    ...behaviourSections(comparison),
    ...measureSection(comparison),
    ...scoreSection('Scores', comparison.scores),
    ...scoreSection('Criteria', comparison.checks),
    ...valuesSection('Conditions that differ', differences, [
      ['Condition', ({ condition }) => condition],
      ['Baseline', ({ baseline }) => JSON.stringify(baseline)],
      ['Candidate', ({ candidate }) => JSON.stringify(candidate)],
    ]),
    ...lineSection('Notes', comparison.notes),
  ]
}

const mostAlike = 10

/** The differences in the agents' actions, and the items of which a gate on scores sees nothing. */
function behaviourSections({ behaviour }: Comparison): readonly Section[] {
  if (behaviour === undefined) return []
  if (behaviour === null) return lineSection('Behaviour', [`${noBehaviour}.`])
  const { items, trials, alikeButOther, isTested } = behaviour
  const title = `Behaviour (${counted(items, 'item')}, ${grouped(trials.baseline)} and ${grouped(trials.candidate)} trials)`
  const rows = behaviourRows(behaviour)
  const alike = alikeButOther.slice(0, mostAlike).map(({ itemId, added, gone }) => {
    return `${itemId}: ${[...added.map((name) => `+${name}`), ...gone.map((name) => `-${name}`)].join(', ')}`
  })
  const more = alikeButOther.length - alike.length
  const few = isTested ? [] : ['Too few items and repetitions to tell more than chance: amounts are shown, not tested.']
  return [
    ...lineSection('Same pass rate, other behaviour', [
      ...alike,
      ...(more > 0 ? [`and ${counted(more, 'more item')}`] : []),
    ]),
    ...(rows.length === 0
      ? lineSection(title, ['No tool, host or argument is new or gone, and no amount changed by more than chance.'])
      : valuesSection(title, rows, [
          ['', ({ how }) => how],
          ['What', ({ what }) => what],
          ['Baseline', ({ baseline }) => baseline],
          ['Candidate', ({ candidate }) => candidate],
          [right('p (Holm)', 1), ({ pValue: p }) => (p === null ? '' : pValue(p))],
        ])),
    ...lineSection('About the behaviour', few),
  ]
}

/** Smaller differences are rounding errors. */
const noDifference = 1e-9

/** Items that changed in one way, the greatest changes first. */
function changeSection(title: string, items: readonly ItemChange[], kind: ItemChangeKind): readonly Section[] {
  const changed = items.filter((item) => changeOf(item) === kind)
  const ordered = changed.toSorted((one, other) => Math.abs(other.passDelta ?? 0) - Math.abs(one.passDelta ?? 0))
  return valuesSection(`${title} (${ordered.length})`, ordered, [
    ['Item', ({ itemId }) => itemId],
    [right('Passed'), ({ passDelta }) => signed(passDelta, threeDigits)],
    ['Scores', changedScores],
    [right('Cost', 1), ({ costDeltaUsd }) => signed(costDeltaUsd, dollars)],
    [right('Time', 2), ({ durationDeltaMs }) => signed(durationDeltaMs, duration)],
  ])
}

function changedScores({ scoreDeltas }: ItemChange): string {
  const changed = Object.entries(scoreDeltas).filter(([, delta]) => Math.abs(delta) > noDifference)
  return changed.map(([key, delta]) => `${key} ${signed(delta, threeDigits)}`).join(', ')
}

function measureSection({ costUsd, tokens, durationMs, efficiency }: Comparison): readonly Section[] {
  const measures: readonly (readonly [string, PairedDelta | null, (value: number) => string])[] = [
    ['cost', costUsd, dollars],
    ['tokens', tokens, grouped],
    ['time', durationMs, duration],
    ...Object.entries(efficiency).map(([key, delta]) => [`efficiency.${key}`, delta, threeDigits] as const),
  ]
  const known = measures.flatMap(([name, delta, show]) => (delta === null ? [] : [{ name, ...delta, show }]))
  return valuesSection('Cost, tokens, time', known, [
    ['Per item', ({ name }) => name],
    [right('Items'), ({ items }) => grouped(items)],
    [right('Baseline'), ({ baselineMean, show }) => show(baselineMean)],
    [right('Candidate'), ({ candidateMean, show }) => show(candidateMean)],
    [right('Change'), ({ delta, show }) => signed(delta, show)],
    [right(levelOf(known)), ({ interval, show }) => boundsText(interval, show)],
  ])
}

/**
 * Scores that moved, over the items that both sides have. Where one side has more of them than pairs are, because a tier or a run did
 * not get so far on the other, the items of each side are shown.
 */
function scoreSection(title: string, scores: Readonly<Record<string, ScoreComparison>>): readonly Section[] {
  const all = Object.entries(scores).filter(([, { items }]) => items > 0)
  const paired = all.filter(([, one]) => {
    const isUneven = sidesOf(one).some((count) => count > one.items)
    return isUneven || Math.abs(one.delta ?? 0) > noDifference || one.improvements + one.regressions > 0
  })
  const same = all.length - paired.length
  if (paired.length === 0) return same === 0 ? [] : lineSection(title, [`All ${grouped(same)} are unchanged.`])
  const isUneven = paired.some(([, one]) => sidesOf(one).some((count) => count > one.items))
  const isAdjusted = paired.some(([, { permutation }]) => (permutation?.tests ?? 1) > 1)
  const pairs = (one: ScoreComparison) => {
    const each = sidesOf(one).map((count) => grouped(count))
    return isUneven ? `${grouped(one.items)} (${each.join(', ')})` : grouped(one.items)
  }
  return valuesSection(same === 0 ? title : `${title} that moved (${grouped(same)} did not)`, paired, [
    ['Name', ([key]) => key],
    [right(isUneven ? 'Pairs (of each)' : 'Pairs', 1), ([, one]) => pairs(one)],
    [right('Baseline', 2), ([, { baselineMean }]) => threeDigits(baselineMean)],
    [right('Candidate', 2), ([, { candidateMean }]) => threeDigits(candidateMean)],
    [right('Change'), ([, { delta }]) => signed(delta, threeDigits)],
    [right(levelOf(paired.map(([, one]) => one))), ([, { interval }]) => boundsText(interval, threeDigits)],
    [right(isAdjusted ? 'p (Holm)' : 'p'), ([, { permutation }]) => pValue(permutation?.adjustedPValue)],
    [right('Better', 3), ([, { improvements }]) => grouped(improvements)],
    [right('Worse', 3), ([, { regressions }]) => grouped(regressions)],
  ])
}

/** How many items have a score on each side. */
function sidesOf({ items, overall }: ScoreComparison): readonly number[] {
  return [overall.baselineItems, overall.candidateItems].map((count) => Math.max(items, count))
}

/** The level of the intervals of a table, which is one. */
function levelOf(measures: readonly (Pick<PairedDelta, 'interval'> | null)[]): string {
  const [interval] = measures.flatMap((one) => one?.interval ?? [])
  return levelText(interval ?? { level: 0.95 })
}

function boundsText(interval: Interval | null, show: (value: number) => string): string {
  return interval === null ? unknown : `${signed(interval.low, show)} to ${signed(interval.high, show)}`
}

/** A comparison in sentences: the conclusion, the pass rates with their test, the items. */
function comparisonHeadline(comparison: Comparison): readonly string[] {
  const { moreItems, unpairedTrials } = comparison
  const [byLabels, price] = [byLabelsText(comparison), priceText(comparison)]
  return [
    ...sequentialHeadline(comparison),
    ...(comparison.sequential === undefined ? [conclusionSentence(conclusionIn(comparison), moreItems)] : []),
    passRateSentence(comparison),
    ...(byLabels === null ? [] : [byLabels]),
    ...(price === null ? [] : [price]),
    `Items: ${changesText(comparison)}.`,
    ...flipLines(comparison),
    // Scores were looked at whenever the pass rate was: at an early stop their p values promise too much.
    ...(comparison.sequential?.isEarly === true ? [] : findings(comparison)),
    ...(unpairedTrials === 0 ? [] : [`${counted(unpairedTrials, 'trial')} without a partner on the other side.`]),
  ]
}

function conclusionSentence(conclusion: ComparisonConclusion, moreItems: number | null): string {
  const more = moreItems === null ? '' : ` About ${counted(moreItems, 'more item')} would be needed.`
  switch (conclusion) {
    case 'improved':
      return 'Improved: the pass rate rose by more than chance explains.'
    case 'regressed':
      return 'Regressed: the pass rate fell by more than chance explains.'
    case 'no-difference-detected':
      return `No difference detected, which does not prove that there is no difference.${more}`
    case 'insufficient-data':
      return `Not enough items to say anything.${more}`
    default:
      return conclusion satisfies never
  }
}

function passRateSentence({ passRate }: Comparison): string {
  if (passRate === null) return 'Pass rate: no item is decided on both sides.'
  const { baselineMean, candidateMean, delta, items, interval, test } = passRate
  const bounds =
    interval === null ? '' : `, ${levelText(interval)}: ${points(interval.low)} to ${points(interval.high)}`
  return (
    `Pass rate over ${counted(items, 'item')}: ${percent(baselineMean)} → ${percent(candidateMean)} ` +
    `(${points(delta)} points${bounds}; ${grouped(test.better)} better, ${grouped(test.worse)} worse, ${grouped(test.same)} the same, ${testText(passRate)}).`
  )
}

/** A comparison that was stored earlier does not count flips. */
function flipLines({ flips }: Comparison): readonly string[] {
  const text = flips === undefined ? null : flipsText(flips)
  return text === null ? [] : [text]
}

/** Comparisons stored by older versions lack counts by change. */
function changesText({ changes, items }: Comparison): string {
  const counts = changes ?? changeCounts(items)
  const known = changeKinds.filter((kind) => counts[kind] > 0)
  return known.length === 0 ? 'none' : known.map((kind) => `${grouped(counts[kind])} ${changeWord(kind)}`).join(', ')
}
