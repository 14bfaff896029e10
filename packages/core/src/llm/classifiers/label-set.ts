import { JuristError } from '../../errors.js'
import { printed } from '../../options.js'
import { fold, linesOf, strip } from './reading.js'

export interface LabelOptions {
  readonly pass?: readonly string[]
  readonly fail?: readonly string[]
  readonly abstain?: readonly string[]
  /** A number within [0, 1] for pass and fail labels. */
  readonly scores?: { readonly [label: string]: number }
}

/** A label as declared, and what it means. */
export interface Label {
  readonly text: string
  readonly status: 'pass' | 'fail' | 'abstain'
}

/** Labels by their folded form. */
export type LabelSet = ReadonlyMap<string, Label>

/**
 * The labels of a classifier.
 *
 * @throws `labels-invalid` naming every problem
 */
export function labelSet(options: LabelOptions): LabelSet {
  const { pass = [], fail = [], abstain = [], scores = {} } = options
  const all = [
    ...pass.map((text) => ({ text, status: 'pass' as const })),
    ...fail.map((text) => ({ text, status: 'fail' as const })),
    ...abstain.map((text) => ({ text, status: 'abstain' as const })),
  ]
  const problems = [
    ...(pass.length + fail.length === 0 ? [{ label: '', problem: 'there is no label for pass or fail' }] : []),
    ...all.flatMap((label, index) => problemOf(label, all.slice(0, index))),
    ...Object.entries(scores).flatMap(([label, score]) => scoreProblem(label, score, [...pass, ...fail])),
  ]
  const [first] = problems
  if (first !== undefined)
    throw new JuristError('labels-invalid', `Labels: ${problems.map(({ problem }) => problem).join('; ')}.`, {
      label: first.label,
    })
  return new Map(all.map((label) => [fold(label.text), label]))
}

interface LabelProblem {
  readonly label: string
  readonly problem: string
}

function problemOf({ text }: Label, earlier: readonly Label[]): readonly LabelProblem[] {
  if (typeof text !== 'string') return [{ label: printed(text), problem: `${printed(text)} is no text` }]
  const folded = fold(text)
  const because = (problem: string) => [{ label: text, problem: `${printed(text)} ${problem}` }]
  if (folded.trim() === '') return because('is blank')
  if (linesOf(folded).length > 1) return because('goes over more than one line')
  if (strip(folded) !== folded || folded.startsWith('!'))
    return because('begins or ends with a mark that answers are freed from; leave it out')
  if (earlier.some((other) => fold(String(other.text)) === folded))
    return because('is given twice; case does not count')
  return []
}

function scoreProblem(label: string, score: unknown, labels: readonly string[]): readonly LabelProblem[] {
  const because = (problem: string) => [{ label, problem: `the score of ${printed(label)} ${problem}` }]
  if (!labels.includes(label)) return because('belongs to no label for pass or fail')
  if (typeof score !== 'number' || !(score >= 0 && score <= 1))
    return because(`is ${printed(score)}, not within 0 to 1`)
  return []
}
