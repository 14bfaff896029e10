import { right } from '@jurist/kit/terminal'
import { counted, dollars, duration, grouped, percent, score, three, unknown } from '../../result/amounts.js'
import type { JudgesSummary } from '../../result/judge-figures.js'
import { type Section, tableSection } from '../sections.js'

/** The judges of a run in comparison: the figures of each one, their agreement, and the savings of a cascade. */
export function judgeSections(summary: JudgesSummary): readonly Section[] {
  return [...judgeSection(summary), ...agreementSection(summary), ...cascadeSection(summary)]
}

function judgeSection({ judges, judged }: JudgesSummary): readonly Section[] {
  // If every judge only passes or fails, scores repeat the counts.
  const isGraded = judges.some(({ scores }) => scores !== null)
  const columns = [
    { title: 'Judge' },
    right('Passed'),
    right('Failed'),
    right('Abstained', 2),
    right('Errors', 2),
    right('Not reached', 3),
    right('Failed alone'),
    ...(isGraded ? [right('Mean score', 1)] : []),
    right('Cost'),
    right('Time, median', 4),
  ]
  const rows = judges.map(({ path, counts, notReached, onlyFailed, meanScore, costUsd, medianMs }) => [
    path,
    ...[counts.pass, counts.fail, counts.abstain, counts.error, notReached, onlyFailed].map((count) => grouped(count)),
    ...(isGraded ? [three(meanScore)] : []),
    dollars(costUsd),
    medianMs === null ? unknown : duration(medianMs),
  ])
  const [section] = tableSection('Judges', columns, rows)
  return section === undefined ? [] : [{ ...section, lines: [`Of ${counted(judged, 'trial')} with a verdict.`] }]
}

function agreementSection({ pairs }: JudgesSummary): readonly Section[] {
  const columns = [{ title: 'Judges' }, right('n'), right('Agreed'), right('Kappa'), { title: '95 % interval' }]
  const rows = pairs.map(({ first, second, n, agreed, kappa: { value, interval } }) => [
    `${first} and ${second}`,
    grouped(n),
    percent(agreed / n),
    score(value),
    interval === null ? unknown : `${score(interval.low)} to ${score(interval.high)}`,
  ])
  return tableSection('Agreement of judges', columns, rows)
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
