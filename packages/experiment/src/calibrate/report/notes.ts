import { counted, grouped, pEquals, percent, points, score } from '../../result/amounts.js'
import { mcnemarExact } from '../../result/statistics/paired-tests.js'
import type { CalibrationReport, JuryReport, SwapReport } from '../calibration.js'

const fewTrials = 30
const smallClass = 5
const highAgreement = 0.9
const lowKappa = 0.4
const goodCoverage = 0.95

export function reportNotes(report: Omit<CalibrationReport, 'notes'>): readonly string[] {
  return [
    ...(isUnlabelled(report) ? [] : [...sizeNotes(report), ...coverageNotes(report)]),
    ...chanceNotes(report),
    ...unsaidNotes(report),
    ...placeNotes(report.consistency.swap),
    ...prevalenceNotes(report),
    ...juryNotes(report),
    ...annotatorNotes(report),
  ]
}

/** Whether no item has a label, and something is measured that needs none. */
function isUnlabelled({ counts, altTest, consistency }: Omit<CalibrationReport, 'notes'>): boolean {
  const needsNone = altTest !== null || consistency.repeats !== null || consistency.swap !== null
  return needsNone && counts.unscored['label-missing'] === counts.trials
}

function sizeNotes({ counts, perClass }: Omit<CalibrationReport, 'notes'>): readonly string[] {
  const small = Object.entries(perClass).filter(([, { support }]) => support > 0 && support < smallClass)
  return [
    ...(counts.scored < fewTrials
      ? [`${counted(counts.scored, 'scored trial')}: with fewer than ${fewTrials}, every figure is a rough estimate.`]
      : []),
    ...small.map(
      ([label, { support }]) =>
        `The label ${label} was expected in ${counted(support, 'scored trial')}, fewer than ${smallClass}: its figures are rough.`,
    ),
  ]
}

function prevalenceNotes({ agreement, kappa }: Omit<CalibrationReport, 'notes'>): readonly string[] {
  if (agreement.value === null || kappa.value === null) return []
  return agreement.value >= highAgreement && kappa.value < lowKappa
    ? ['Agreement is high but kappa is low: nearly all labels are of one class. Look at AC1 and at the rarer class.']
    : []
}

function coverageNotes({ coverage, counts }: Omit<CalibrationReport, 'notes'>): readonly string[] {
  if (coverage === null || coverage >= goodCoverage) return []
  return [`${counts.trials - counts.scored} of ${counts.trials} trials were not scored, and are in no rate.`]
}

function chanceNotes({ kappa, perClass }: Pick<CalibrationReport, 'kappa' | 'perClass'>): readonly string[] {
  const { value, interval } = kappa
  const classes = Object.values(perClass)
  const said = classes.filter(({ predicted }) => predicted > 0).length
  const expected = classes.filter(({ support }) => support > 0).length
  // A judge that always gives the same answer has its own note, and labels of a single class cannot distinguish judges.
  if (value === null || said < 2 || expected < 2) return []
  const figures = `kappa ${score(value)}${interval === null ? '' : `, ${score(interval.low)} to ${score(interval.high)}`}`
  const isBelow = interval === null ? value < 0 : interval.high < 0
  if (isBelow)
    return [
      `The candidate is worse than chance (${figures}): it agrees with the labels less often than a judge that guesses. Check that labels and judgments mean the same, and do not use it as it is.`,
    ]
  const isChance = value <= 0 || (interval !== null && interval.low <= 0)
  return isChance
    ? [`The candidate is not distinguishable from chance (${figures}): do not rely on it without more labels.`]
    : []
}

/** Notes about labels that the candidate never predicts. */
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
      ? `The candidate always says ${only} and never says ${cases}: it does not discriminate, and its agreement is the share of that label.`
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
  if (
    flips.length > 2 ||
    (second !== undefined && (first.given !== second.exchanged || first.exchanged !== second.given))
  )
    return [
      `The places decide: ${rate}, most often from ${first.given} to ${first.exchanged} (${grouped(first.items)}).`,
    ]
  const back = second?.items ?? 0
  const p = mcnemarExact(back, first.items)
  if (p >= significance)
    return [
      `${rate}, ${grouped(first.items)} from ${first.given} to ${first.exchanged} and ${grouped(back)} the other way (${pEquals(p)}): the candidate is not consistent, although it does not clearly favour either place.`,
    ]
  return [
    `The places decide: ${rate}, ${grouped(first.items)} of them from ${first.given} to ${first.exchanged} and ${grouped(back)} the other way (${pEquals(p)}): the candidate favours ${placeOf(first.given)}. Ask it in both orders, and count only what both agree on.`,
  ]
}

const firstWords = /^(?:(?:output|answer|response|model|assistant|candidate)?[ _-]?\(?[a1]\)?|first|left)$/i
const secondWords = /^(?:(?:output|answer|response|model|assistant|candidate)?[ _-]?\(?[b2]\)?|second|right)$/i

/** The favoured place: the one that the answer to the original context means. */
function placeOf(given: string): string {
  if (firstWords.test(given)) return `the first place (${given} as the context is given)`
  if (secondWords.test(given)) return `the second place (${given} as the context is given)`
  return `the place that ${given} means in the original context`
}

/** Notes about a jury compared with its members. */
function juryNotes({ jury }: Pick<CalibrationReport, 'jury'>): readonly string[] {
  if (jury === null) return []
  const { effectiveVotes, members, sameTrials } = jury
  const seats = Object.keys(members).length
  if (seats < 2) return []
  if (!sameTrials)
    return [
      'The members judged different trials, as later tiers judge only what earlier ones let through: their agreements are not ' +
        'comparable, and none of them is called the best.',
    ]
  return [
    ...bestMemberNotes(jury),
    ...(effectiveVotes !== null && effectiveVotes < seats / 2
      ? [`The ${seats} members err together: they are worth ${score(effectiveVotes)} independent votes.`]
      : []),
  ]
}

function bestMemberNotes(jury: JuryReport): readonly string[] {
  const { bestMember, juryMinusBest, mcnemarAgainstBest, commonTrials } = jury
  const counts = Object.values(jury.members).map(({ scored }) => scored)
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)]
  const uneven =
    most === commonTrials
      ? []
      : [
          `The members were scored on ${grouped(fewest)} to ${grouped(most)} trials, and all of them on ${grouped(commonTrials)}: ${
            commonTrials === 0 ? 'none of them is called the best.' : 'the best member is the best of those.'
          }`,
        ]
  if (bestMember === null || juryMinusBest === null || mcnemarAgainstBest === null) return uneven
  const sentence = bestSentence(bestMember, juryMinusBest, mcnemarAgainstBest, commonTrials)
  return [...uneven, sentence]
}

/** Distinguishes better, worse and indistinguishable, each with advice. */
function bestSentence(best: string, difference: number, p: number, trials: number): string {
  const figures = `(${points(difference)} points over ${counted(trials, 'trial')}, ${pEquals(p)})`
  if (p >= significance)
    return `The jury is not distinguishable from its best member, ${best} ${figures}: ${best} alone may suffice; more items may show a difference.`
  return difference > 0
    ? `The jury is better than its best member, ${best} ${figures}: use the jury.`
    : `The jury is worse than its best member, ${best} ${figures}: use ${best} alone, or another vote.`
}

function annotatorNotes({ altTest }: Pick<CalibrationReport, 'altTest'>): readonly string[] {
  if (altTest === null) return []
  const { passes, constant, epsilon, minimumItems } = altTest
  if (passes === null)
    return [
      `The alternative annotator test decided nothing: no annotator rated ${minimumItems} items that the candidate and another annotator judged as well. Rate more items, or lower the option altTest.minimumItems.`,
    ]
  if (!passes || constant?.passes !== true) return []
  return [
    `Always saying ${constant.label} passes the alternative annotator test as well (winning rate ${percent(constant.winningRate)} at epsilon ${epsilon}): passing it says little about the candidate. Try a smaller altTest.epsilon.`,
  ]
}
