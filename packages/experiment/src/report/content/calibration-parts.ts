import { right } from '@jurist/kit/terminal'
import type { CalibrationReport, SwapFlip } from '../../calibrate/calibration.js'
import {
  counted,
  grouped,
  levelText,
  pEquals,
  percent,
  points,
  pValue,
  rateInterval,
  score,
  three,
} from '../../result/amounts.js'
import { lineSection, type Section, tableOf, valuesSection } from '../sections.js'

/** The gain of a jury over its best member. */
export function jurySection({ jury }: CalibrationReport): readonly Section[] {
  if (jury === null) return []
  return valuesSection(
    'Jury',
    Object.entries(jury.members),
    [
      ['Member', ([name]) => (name === jury.bestMember ? `${name} (best)` : name)],
      [right('Agreement'), ([, { agreement }]) => percent(agreement)],
      [right('Scored'), ([, { scored }]) => grouped(scored)],
    ],
    jury.sameTrials ? comparedMembers(jury) : ['The members judged different trials; no member is the best.'],
  )
}

function comparedMembers(jury: NonNullable<CalibrationReport['jury']>): readonly string[] {
  const { members, commonTrials, juryMinusBest, mcnemarAgainstBest, meanErrorCorrelation, effectiveVotes } = jury
  return [
    `Jury less its best member: ${points(juryMinusBest)} points over ${counted(commonTrials, 'trial')} that all were scored on, ${pEquals(mcnemarAgainstBest)} (exact McNemar).`,
    `${grouped(Object.keys(members).length)} members count as ${score(effectiveVotes)} independent votes (mean correlation of errors ${three(meanErrorCorrelation)}).`,
  ]
}

/** The corrected pass rate of another run. */
export function correctedSection({ correctedPassRate: corrected }: CalibrationReport): readonly Section[] {
  if (corrected === null) return []
  const { run, trials, observed, sensitivity, specificity, value, interval } = corrected
  const bounds = interval === null ? '' : ` (${levelText(interval)}: ${rateInterval(interval)})`
  return lineSection('Corrected pass rate', [
    `In ${run} the candidate passed ${percent(observed)} of ${counted(trials, 'trial')}: that stands for ${percent(value)}${bounds}, as it passes ${percent(sensitivity)} of what should pass and fails ${percent(specificity)} of what should fail.`,
  ])
}

/** Which threshold of its numbers would agree best. */
export function thresholdSection({ discrimination }: CalibrationReport): readonly Section[] {
  const sweep = discrimination?.thresholds ?? null
  if (sweep === null) return []
  const { best, crossValidated } = sweep
  return lineSection('Threshold', [
    `Best by kappa: ${three(best.threshold)}, kappa ${three(best.kappa)}, agreement ${percent(best.accuracy)} on the trials that it was chosen by.`,
    ...(crossValidated === null
      ? []
      : [
          `Chosen without the items it is applied to (${counted(crossValidated.folds, 'fold')}): kappa ${three(crossValidated.kappa)}, agreement ${percent(crossValidated.accuracy)}.`,
        ]),
  ])
}

/** Whether repeated judgments agree, and judgments of a swapped context. */
export function consistencySection({ consistency }: CalibrationReport): readonly Section[] {
  const { repeats, swap } = consistency
  return lineSection('Consistency', [
    ...(repeats === null
      ? []
      : [
          `Repeated: ${grouped(repeats.unanimous)} of ${counted(repeats.items, 'item')} judged alike each time, agreement ${percent(repeats.agreement)}.`,
        ]),
    ...(swap === null
      ? []
      : [
          `Swapped: ${grouped(swap.consistent)} of ${counted(swap.items, 'pair')} judged alike, ${percent(swap.flipRate)} flipped${flipText(swap.flips)}.`,
        ]),
  ])
}

function flipText(flips: readonly SwapFlip[]): string {
  const most = flips.slice(0, 4).map(({ given, exchanged, items }) => `${given} to ${exchanged} ${grouped(items)}`)
  return most.length === 0 ? '' : ` (${most.join(', ')}${flips.length > most.length ? ', …' : ''})`
}

/** Whether the candidate may take the place of annotators (the alternative annotator test). */
export function annotatorSection({ altTest }: CalibrationReport): readonly Section[] {
  if (altTest === null) return []
  const { annotators, constant, excluded, minimumItems } = altTest
  const lines = [
    `${annotatorVerdict(altTest)}: ${winning(altTest)}.`,
    `Epsilon ${altTest.epsilon} is by how much it may win less often than an annotator, as its time costs less (0.2 for experts, 0.15 for skilled annotators, 0.1 for a crowd); false discovery rate ${altTest.q}, annotators with at least ${counted(minimumItems, 'item')}.`,
    ...(constant === null ? [] : [`Always saying ${constant.label} gets: ${winning(constant)}.`]),
    ...(excluded.length === 0
      ? []
      : [`Excluded for fewer than ${counted(minimumItems, 'item')}: ${excluded.join(', ')}.`]),
  ]
  const table = tableOf(Object.entries(annotators), [
    ['Annotator', ([name]) => name],
    [right('Items'), ([, { items }]) => grouped(items)],
    [right('Candidate'), ([, { advantage }]) => three(advantage)],
    [right('Annotator'), ([, { humanAdvantage }]) => three(humanAdvantage)],
    [right('p'), ([, one]) => pValue(one.pValue)],
    ['Won', ([, { rejected }]) => (rejected ? 'yes' : 'no')],
  ])
  return [{ title: 'Alternative annotator test', lines, table }]
}

function annotatorVerdict({ passes, epsilon }: NonNullable<CalibrationReport['altTest']>): string {
  if (passes === null) return 'Not decided'
  return `The candidate ${passes ? 'may' : 'may not'} replace annotators at epsilon ${epsilon}`
}

function winning({
  winningRate,
  averageAdvantage,
}: Pick<NonNullable<CalibrationReport['altTest']>, 'winningRate' | 'averageAdvantage'>): string {
  return `winning rate ${percent(winningRate)}, average advantage ${three(averageAdvantage)}`
}

/** Whether the candidate is right as often as it is sure. */
export function reliabilitySection({ reliability }: CalibrationReport): readonly Section[] {
  if (reliability === null) return []
  const { bins, source, calibrationError } = reliability
  return valuesSection(
    `Reliability by confidence (${source})`,
    bins,
    [
      ['Confidence', ({ low, high }) => `${low.toFixed(1)} to ${high.toFixed(1)}`],
      [right('Trials'), ({ trials }) => grouped(trials)],
      [right('Mean'), ({ meanConfidence }) => three(meanConfidence)],
      [right('Agreement'), ({ agreement }) => percent(agreement)],
    ],
    [`Expected calibration error ${three(calibrationError)}.`],
  )
}
