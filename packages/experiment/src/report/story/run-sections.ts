import { counted, dollars, duration, grouped, percent, score, three } from '../../result/amounts.js'
import type { ExperimentResult } from '../../result/records.js'
import { outcomeOf } from '../../result/trial-outcome.js'
import { reasonOf } from '../../result/trial-reason.js'
import { figuresOf } from '../figures.js'
import { type Section, tableSection } from '../section/section.js'
import type { Column } from '../table/text-table.js'
import { meanScore, trialsByItem } from '../trial-outcome.js'

const right = (title: string): Column => ({ title, align: 'right' })

/** A run in figures: what passed, what it cost, what each judge said on average, how buckets differ. */
export function figureSections(result: ExperimentResult): readonly Section[] {
  const figures = figuresOf(result).map(({ name, value }) => [name, value])
  return [
    { title: 'Figures', table: { columns: [{ title: 'Figure' }, { title: 'Value' }], rows: figures } },
    ...scoreSection('Scores', result.scores),
    ...scoreSection('Efficiency', result.efficiency),
    ...bucketSection(result),
  ]
}

/** Trials that did not pass, with the reason; `most` of them. */
export function failureSection({ items }: ExperimentResult, most: number): readonly Section[] {
  const others = items.filter(({ passed }) => passed !== true)
  const rows = others
    .slice(0, most)
    .map((item) => [`${item.itemId} [${item.repetition}]`, outcomeOf(item), reasonOf(item)])
  const [section] = tableSection('Did not pass', [{ title: 'Trial' }, { title: 'Outcome' }, { title: 'Reason' }], rows)
  if (section === undefined) return []
  const left = others.length - rows.length
  return [left === 0 ? section : { ...section, lines: [`${counted(left, 'further trial')} not shown.`] }]
}

/** Every item with its outcomes, scores, cost and time. */
export function itemSection(result: ExperimentResult, keys: readonly string[]): readonly Section[] {
  const columns = [{ title: 'Item' }, { title: 'Passed' }, ...keys.map(right), right('Cost'), right('Time')]
  const rows = [...trialsByItem(result.items)].map(([itemId, trials]) => {
    const passes = trials.filter(({ passed }) => passed === true).length
    const costs = trials.flatMap(({ costUsd }) => costUsd ?? [])
    return [
      itemId,
      trials.length === 1 ? trials.map(outcomeOf).join('') : `${passes} of ${trials.length}`,
      ...keys.map((key) => score(meanScore(trials, key))),
      dollars(costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0)),
      duration(trials.reduce((sum, { durationMs }) => sum + durationMs, 0)),
    ]
  })
  return tableSection('Items', columns, rows)
}

function scoreSection(title: string, scores: ExperimentResult['scores']): readonly Section[] {
  const columns = [
    { title: 'Name' },
    right('Mean'),
    right('± SE'),
    right('Min'),
    right('Max'),
    right('n'),
    right('Missing'),
  ]
  const rows = Object.entries(scores).map(([key, { n, missing, mean, min, max, standardError }]) => [
    key,
    three(mean),
    three(standardError),
    score(min),
    score(max),
    grouped(n),
    grouped(missing),
  ])
  return tableSection(title, columns, rows)
}

function bucketSection({ byBucket }: ExperimentResult): readonly Section[] {
  const buckets = Object.entries(byBucket)
  if (buckets.length < 2) return []
  const columns = [{ title: 'Bucket' }, right('Pass rate'), right('Passes'), right('Fails'), right('Undecided')]
  const rows = buckets.map(([bucket, { counts, passRate }]) => [
    bucket === '' ? '(none)' : bucket,
    percent(passRate),
    grouped(counts.passes),
    grouped(counts.fails),
    grouped(counts.undecided),
  ])
  return tableSection('Buckets', columns, rows)
}
