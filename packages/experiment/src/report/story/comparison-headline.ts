import { changeCounts, changeKinds, changeWord } from '../../compare/change-of.js'
import type { Comparison, ComparisonVerdict } from '../../compare/comparison.js'
import { findings, flipsText, testText } from '../../compare/comparison-words.js'
import { counted, grouped, levelText, percent, points } from '../../result/amounts.js'

/** What a comparison amounts to, in sentences: the verdict, the pass rates with their test, the items. */
export function comparisonHeadline(comparison: Comparison): readonly string[] {
  const { verdict, moreItems, unpairedTrials } = comparison
  return [
    verdictSentence(verdict, moreItems),
    passRateSentence(comparison),
    `Items: ${changesText(comparison)}.`,
    ...flipLines(comparison),
    ...findings(comparison),
    ...(unpairedTrials === 0 ? [] : [`${counted(unpairedTrials, 'trial')} without a partner on the other side.`]),
  ]
}

function verdictSentence(verdict: ComparisonVerdict, moreItems: number | null): string {
  const more = moreItems === null ? '' : ` About ${counted(moreItems, 'more item')} would be needed.`
  switch (verdict) {
    case 'improved':
      return 'Improved: the pass rate rose by more than chance explains.'
    case 'regressed':
      return 'Regressed: the pass rate fell by more than chance explains.'
    case 'no-difference-detected':
      return `No difference detected, which does not say that there is none.${more}`
    case 'insufficient-data':
      return `Not enough items to say anything.${more}`
    default:
      return verdict satisfies never
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

/** A comparison that was stored earlier has no counts by change. */
function changesText({ changes, items }: Comparison): string {
  const counts = changes ?? changeCounts(items)
  const known = changeKinds.filter((kind) => counts[kind] > 0)
  return known.length === 0 ? 'none' : known.map((kind) => `${grouped(counts[kind])} ${changeWord(kind)}`).join(', ')
}
