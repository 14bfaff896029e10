import { asText } from '@jurist/core'
import { groupBy } from '@jurist/kit/group-by'
import type { CalibrationResult } from '../calibrate/calibration.js'
import { decidingReason } from '../result/deciding-judge.js'
import type { ItemResult } from '../result/records.js'
import { cohenKappa } from '../result/statistics/kappa.js'
import { outputOf } from '../result/trial-texts.js'
import { currentLabels, type Label } from './label.js'
import { peopleOn } from './labelled-trials.js'

/** The agreement of two people. */
export interface AnnotatorPair {
  readonly annotators: readonly [string, string]
  /** Trials that both labelled pass or fail. */
  readonly trials: number
  readonly agreeing: number
  /** Cohen's kappa; `null` where it is not defined. */
  readonly kappa: number | null
}

/** The agreement of several people on the same trials. */
export interface LabelAgreement {
  readonly pairs: readonly AnnotatorPair[]
  /** The trials on which annotators disagree, as `{ itemId, repetition }`. */
  readonly disagreements: readonly { readonly itemId: string; readonly repetition: number }[]
}

/**
 * Returns the agreement of people, pair by pair, over the trials that both labelled pass or fail.
 *
 * @example
 * import { labelAgreement, readLabels } from '@jurist/experiment/label'
 *
 * for (const { annotators, agreeing, trials } of labelAgreement(await readLabels('labels.jsonl')).pairs)
 *   console.log(`${annotators.join(' and ')}: ${agreeing} of ${trials}`)
 */
export function labelAgreement(lines: readonly Label[]): LabelAgreement {
  const decided = currentLabels(lines).filter(({ label }) => label === 'pass' || label === 'fail')
  const byTrial = groupBy(decided, ({ itemId, repetition }) => JSON.stringify([itemId, repetition]))
  const people = [...new Set(decided.map(({ annotator }) => annotator))].sort()
  const pairs = people.flatMap((one, index) =>
    people.slice(index + 1).flatMap((other) => pairOf([one, other], [...byTrial.values()])),
  )
  const disagreements = [...byTrial.values()].flatMap((labels) => {
    const [first] = labels
    if (first === undefined || labels.every(({ label }) => label === first.label)) return []
    return [{ itemId: first.itemId, repetition: first.repetition }]
  })
  return { pairs, disagreements }
}

function pairOf(
  annotators: readonly [string, string],
  trials: readonly (readonly Label[])[],
): readonly AnnotatorPair[] {
  const matrix = [
    [0, 0],
    [0, 0],
  ]
  let [both, agreeing] = [0, 0]
  for (const labels of trials) {
    const [one, other] = annotators.map((name) => labels.find(({ annotator }) => annotator === name)?.label)
    if (one === undefined || other === undefined) continue
    both += 1
    if (one === other) agreeing += 1
    const row = matrix[one === 'pass' ? 0 : 1]
    const column = other === 'pass' ? 0 : 1
    if (row !== undefined) row[column] = (row[column] ?? 0) + 1
  }
  return both === 0 ? [] : [{ annotators, trials: both, agreeing, kappa: cohenKappa(matrix).value }]
}

/** `ana and ben agree on 18 of 20 trials (kappa 0.78)`. */
export function pairText({ annotators, agreeing, trials, kappa }: AnnotatorPair): string {
  const measure = kappa === null ? '' : ` (kappa ${kappa.toFixed(2)})`
  return `${annotators.join(' and ')} agree on ${agreeing} of ${trials} trials${measure}`
}

/** The categories of a line that a person types: `math, careless`. */
export function categoriesIn(line: string): readonly string[] {
  const words = line.split(',').map((word) => word.trim())
  return [...new Set(words.filter((word) => word !== ''))]
}

/** How often a judge agrees with the labels. */
export interface Matches {
  readonly matches: number
  readonly of: number
}

/**
 * A judge against labels, by how far people agree. Where people agree, a difference is most likely an error of the judge. Where
 * they differ, no judge can agree with all of them: there every label counts by itself.
 */
export interface JudgeOnLabels {
  readonly judge: string
  /** Trials on which several people agree. */
  readonly agreed: Matches
  /** Trials that one person labelled. */
  readonly single: Matches
  /** Labels of the trials on which people differ. */
  readonly contested: Matches
}

/** Counts how often a judge agrees with the labels. Undecided trials do not count. */
export function judgeOnLabels(
  judge: string,
  items: readonly ItemResult[],
  labels: ReadonlyMap<string, readonly Label[]>,
): JudgeOnLabels {
  const decided = items.flatMap(({ itemId, detail }) => {
    if (detail?.kind !== 'judge') return []
    const { status } = detail.judgment
    return status === 'pass' || status === 'fail' ? [{ status, labels: labels.get(itemId) ?? [] }] : []
  })
  const matchesOn = (people: ReturnType<typeof peopleOn>): Matches => {
    const trials = decided.filter((trial) => peopleOn(trial.labels) === people)
    // Where people agree, a trial counts once, however many labelled it.
    const compared = trials.flatMap(({ status, labels: own }) =>
      (people === 'differ' ? own : own.slice(0, 1)).map(({ label }) => label === status),
    )
    return { matches: compared.filter((isMatch) => isMatch).length, of: compared.length }
  }
  return { judge, agreed: matchesOn('agree'), single: matchesOn('one'), contested: matchesOn('differ') }
}

/** A trial on which a judge and the people differ, with the facts that show who is right. */
export interface LabelDisagreement {
  readonly judge: string
  readonly itemId: string
  readonly repetition: number
  readonly said: 'pass' | 'fail'
  /** The reasoning of the judge. */
  readonly reason: string
  readonly labels: readonly Pick<Label, 'annotator' | 'label' | 'note'>[]
  /** Whether several people agree on the label, one gave it, or people differ. */
  readonly people: 'agree' | 'one' | 'differ'
  readonly task: string
  /** The beginning of the agent's output; `null`: it has no output. */
  readonly output: string | null
}

const longestOutput = 2_000
const order = ['agree', 'one', 'differ'] as const

/** Where a judge differs from the label: the trials on which people agree first. */
export function labelDisagreements(
  judge: string,
  { disagreements, result }: CalibrationResult,
  trials: readonly { readonly name: string; readonly item: ItemResult }[],
  labels: ReadonlyMap<string, readonly Label[]>,
): readonly LabelDisagreement[] {
  const items = new Map(trials.map(({ name, item }) => [name, item]))
  const verdicts = new Map(result.items.map(({ itemId, verdict }) => [itemId, verdict]))
  const list = disagreements.flatMap(({ itemId: name, detail }) => {
    const item = items.get(name)
    const { status, reasoning } = detail.judgment
    if (item === undefined || (status !== 'pass' && status !== 'fail')) return []
    const verdict = verdicts.get(name) ?? null
    const own = labels.get(name) ?? []
    const answer = outputOf(item)
    return {
      judge,
      itemId: item.itemId,
      repetition: item.repetition,
      said: status,
      reason: verdict === null ? reasoning : decidingReason(verdict),
      labels: own.map(({ annotator, label, note }) => ({ annotator, label, note })),
      people: peopleOn(own),
      task: item.task,
      output: answer === undefined ? null : asText(answer).slice(0, longestOutput),
    }
  })
  return list.sort((one, other) => order.indexOf(one.people) - order.indexOf(other.people))
}
