import { right } from '@jurist/kit/terminal'
import { counted, dollars, duration, grouped, percent, score, three, unknown } from '../../result/amounts.js'
import type { JudgesSummary } from '../../result/judge-figures.js'
import { type ColumnOf, type Section, tableSection, valuesSection } from '../sections.js'

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
  return valuesSection('Judges', judges, [
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
  ]).map((section) => ({ ...section, lines: [`Of ${counted(judged, 'trial')} with a verdict.`] }))
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
  const columns = [
    { title: 'Tier' },
    right('Reached'),
    right('Decided'),
    right('Withheld'),
    right('Cost'),
    right('Cost saved'),
    right('Time saved'),
  ]
  const rows = tiers.map(({ name, reached, decided, withheld, costUsd, savedUsd, savedMs }) => [
    name,
    grouped(reached),
    grouped(decided),
    grouped(withheld),
    dollars(costUsd),
    dollars(savedUsd),
    savedMs === null ? unknown : duration(savedMs),
  ])
  const lines = ['Saved: the mean of a trial that reached the tier, times the trials that did not. An estimate.']
  return tableSection('What the cascade saved', columns, rows).map((section) => ({ ...section, lines }))
}
