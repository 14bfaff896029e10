import { right } from '@jurist/kit/terminal'
import { counted, dollars, duration, grouped, percent, score, three, unknown } from '../../result/amounts.js'
import type { JudgesSummary } from '../../result/judge-figures.js'
import { type ColumnOf, type Section, valuesSection } from '../sections.js'

/** The judges of a run in comparison: the figures of each one, their agreement, and the savings of a cascade. */
export function judgeSections(summary: JudgesSummary): readonly Section[] {
  return [...judgeSection(summary), ...agreementSection(summary), ...cascadeSection(summary)]
}

function judgeSection({ judges, judged }: JudgesSummary): readonly Section[] {
  // If every judge only passes or fails, scores repeat the counts.
  const isGraded = judges.some(({ scores }) => scores !== null)
  const meanScores: readonly ColumnOf<JudgesSummary['judges'][number]>[] = [
    [right('Mean score', 1), ({ meanScore }) => three(meanScore)],
  ]
  return valuesSection(
    'Judges',
    judges,
    [
      ['Judge', ({ path }) => path],
      [right('Passed'), ({ counts }) => grouped(counts.pass)],
      [right('Failed'), ({ counts }) => grouped(counts.fail)],
      [right('Abstained', 2), ({ counts }) => grouped(counts.abstain)],
      [right('Errors', 2), ({ counts }) => grouped(counts.error)],
      [right('Not reached', 3), ({ notReached }) => grouped(notReached)],
      [right('Failed alone'), ({ onlyFailed }) => grouped(onlyFailed)],
      ...(isGraded ? meanScores : []),
      [right('Cost'), ({ costUsd }) => dollars(costUsd)],
      [right('Time, median', 4), ({ medianMs }) => (medianMs === null ? unknown : duration(medianMs))],
    ],
    [`Of ${counted(judged, 'trial')} with a verdict.`],
  )
}

function agreementSection({ pairs }: JudgesSummary): readonly Section[] {
  return valuesSection('Agreement of judges', pairs, [
    ['Judges', ({ first, second }) => `${first} and ${second}`],
    [right('n'), ({ n }) => grouped(n)],
    [right('Agreed'), ({ agreed, n }) => percent(agreed / n)],
    [right('Kappa'), ({ kappa }) => score(kappa.value)],
    [
      '95 % interval',
      ({ kappa: { interval } }) => (interval === null ? unknown : `${score(interval.low)} to ${score(interval.high)}`),
    ],
  ])
}

function cascadeSection({ tiers }: JudgesSummary): readonly Section[] {
  if (tiers === null) return []
  return valuesSection(
    'What the cascade saved',
    tiers,
    [
      ['Tier', ({ name }) => name],
      [right('Reached'), ({ reached }) => grouped(reached)],
      [right('Decided'), ({ decided }) => grouped(decided)],
      [right('Withheld'), ({ withheld }) => grouped(withheld)],
      [right('Cost'), ({ costUsd }) => dollars(costUsd)],
      [right('Cost saved'), ({ savedUsd }) => dollars(savedUsd)],
      [right('Time saved'), ({ savedMs }) => (savedMs === null ? unknown : duration(savedMs))],
    ],
    ['Saved: the mean of a trial that reached the tier, times the trials that did not. An estimate.'],
  )
}
