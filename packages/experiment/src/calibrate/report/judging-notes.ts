import { counted, grouped, pEquals, percent, score } from '../../result/amounts.js'
import { mcnemarExact } from '../../result/statistics/paired-tests.js'
import type { CalibrationReport, SwapFlip, SwapReport } from '../calibration.js'

/** What a reader should know of a judge that tells little: by chance, always the same, or by the places. */
export function judgingNotes(
  report: Pick<CalibrationReport, 'kappa' | 'confusion' | 'perClass' | 'consistency' | 'counts'>,
): readonly string[] {
  return [...chanceNotes(report), ...unsaidNotes(report), ...placeNotes(report.consistency.swap)]
}

function chanceNotes({ kappa, perClass }: Pick<CalibrationReport, 'kappa' | 'perClass'>): readonly string[] {
  const { value, interval } = kappa
  const classes = Object.values(perClass)
  const said = classes.filter(({ predicted }) => predicted > 0).length
  const expected = classes.filter(({ support }) => support > 0).length
  // A judge that always says the same has a note of its own, and labels of one class leave nothing to tell apart.
  if (value === null || said < 2 || expected < 2) return []
  const figures = `kappa ${score(value)}${interval === null ? '' : `, ${score(interval.low)} to ${score(interval.high)}`}`
  const isBelow = interval === null ? value < 0 : interval.high < 0
  if (isBelow)
    return [
      `The candidate is worse than chance (${figures}): it agrees with the labels less often than a judge that guesses. Check that labels and verdicts mean the same, and do not use it as it is.`,
    ]
  const isChance = value <= 0 || (interval !== null && interval.low <= 0)
  return isChance
    ? [`The candidate is not distinguishable from chance (${figures}): do not rely on it before more labels show more.`]
    : []
}

/** Labels that were expected, though the candidate never says them. */
function unsaidNotes({
  confusion,
  perClass,
  counts,
}: Pick<CalibrationReport, 'confusion' | 'perClass' | 'counts'>): readonly string[] {
  const expected = (label: string) => (perClass[label]?.support ?? 0) + (confusion.unscored[label] ?? 0)
  const unsaid = confusion.labels.filter((label) => expected(label) > 0 && (perClass[label]?.predicted ?? 0) === 0)
  const said = confusion.labels.filter((label) => (perClass[label]?.predicted ?? 0) > 0)
  if (unsaid.length === 0 || counts.scored === 0) return []
  const cases = unsaid.map((label) => `${label} (the label of ${counted(expected(label), 'trial')})`).join(', ')
  const [only] = said
  return [
    said.length === 1 && only !== undefined
      ? `The candidate always says ${only} and never says ${cases}: it tells nothing apart, and its agreement is the share of that label.`
      : `The candidate never says ${cases}.`,
  ]
}

/** From here on flips are worth a sentence. */
const manyFlips = 0.1
const significance = 0.05

function placeNotes(swap: SwapReport | null): readonly string[] {
  if (swap === null || swap.flipRate === null || swap.flipRate < manyFlips) return []
  const { items, flips, flipRate } = swap
  const flipped = flips.reduce((sum, flip) => sum + flip.items, 0)
  const [first, second] = flips
  if (first === undefined) return []
  const rate = `${grouped(flipped)} of ${counted(items, 'pair')} (${percent(flipRate)}) flip when the places are exchanged`
  if (flips.length > 2 || (second !== undefined && !isReverse(first, second)))
    return [
      `The places decide: ${rate}, most often from ${first.given} to ${first.exchanged} (${grouped(first.items)}).`,
    ]
  const back = second?.items ?? 0
  const p = mcnemarExact(back, first.items)
  if (p >= significance)
    return [
      `${rate}, ${grouped(first.items)} from ${first.given} to ${first.exchanged} and ${grouped(back)} the other way (${pEquals(p)}): the candidate does not keep to its judgments, though neither place is favoured for certain.`,
    ]
  return [
    `The places decide: ${rate}, ${grouped(first.items)} of them from ${first.given} to ${first.exchanged} and ${grouped(back)} the other way (${pEquals(p)}): the candidate favours ${placeOf(first.given)}. Ask it in both orders, and count only what both agree on.`,
  ]
}

function isReverse(one: SwapFlip, other: SwapFlip): boolean {
  return one.given === other.exchanged && one.exchanged === other.given
}

const firstWords = /^(?:(?:output|answer|response|model|assistant|candidate)?[ _-]?\(?[a1]\)?|first|left)$/i
const secondWords = /^(?:(?:output|answer|response|model|assistant|candidate)?[ _-]?\(?[b2]\)?|second|right)$/i

/** The place that was favoured: the one that what it said of the context as it is stands for. */
function placeOf(given: string): string {
  if (firstWords.test(given)) return `the first place (${given} as the context is given)`
  if (secondWords.test(given)) return `the second place (${given} as the context is given)`
  return `the place that ${given} stands for as the context is given`
}
