import { cohenKappa } from '../result/statistics/kappa.js'
import { currentLabels, type Label } from './label.js'

/** How far two people agree. */
export interface AnnotatorPair {
  readonly annotators: readonly [string, string]
  /** Trials that both labelled pass or fail. */
  readonly trials: number
  readonly agreeing: number
  /** Cohen's kappa; `null` where it is not defined. */
  readonly kappa: number | null
}

/** What several people say of the same trials. */
export interface LabelAgreement {
  readonly pairs: readonly AnnotatorPair[]
  /** The trials on which somebody disagrees, as `{ itemId, repetition }`. */
  readonly disagreements: readonly { readonly itemId: string; readonly repetition: number }[]
}

/**
 * How far people agree, pair by pair, over the trials that both labelled pass or fail.
 *
 * @example
 * import { labelAgreement, readLabels } from '@jurist/experiment/label'
 *
 * for (const { annotators, agreeing, trials } of labelAgreement(await readLabels('labels.jsonl')).pairs)
 *   console.log(`${annotators.join(' and ')}: ${agreeing} of ${trials}`)
 */
export function labelAgreement(lines: readonly Label[]): LabelAgreement {
  const decided = currentLabels(lines).filter(({ label }) => label === 'pass' || label === 'fail')
  const byTrial = new Map<string, Label[]>()
  for (const label of decided) {
    const key = JSON.stringify([label.itemId, label.repetition])
    byTrial.set(key, [...(byTrial.get(key) ?? []), label])
  }
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
