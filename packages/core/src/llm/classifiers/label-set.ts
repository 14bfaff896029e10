import { JuristError } from '../../errors.js'
import type { JsonObject } from '../../json.js'
import { abstain, fail, type Judgment, pass } from '../../judgment.js'
import { printed } from '../../options.js'
import type { CategoricalScore } from '../../score.js'
import { type JudgeModelResponse, type Unread, unreadable } from '../model.js'
import { fold, linesOf, reasoningOf, strip } from './answer-text.js'
import { labelProbability } from './probability.js'

/** Options of `labels`. */
export interface LabelOptions {
  readonly pass?: readonly string[]
  readonly fail?: readonly string[]
  readonly abstain?: readonly string[]
  /** A number within [0, 1] for pass and fail labels. */
  readonly scores?: { readonly [label: string]: number }
}

export interface Label {
  readonly text: string
  readonly status: 'pass' | 'fail' | 'abstain'
  /** The brackets before it, such as `[[`. */
  readonly opened?: string
  /** The closing brackets, such as `]]`; also one that opened within the label. */
  readonly closed?: string
}

/** Keyed by the folded form of the label, without the marks around it. */
export type LabelSet = ReadonlyMap<string, Label>

/** @throws `labels-invalid` naming every problem */
export function labelSet(options: LabelOptions): LabelSet {
  const { pass = [], fail = [], abstain = [], scores = {} } = options
  const all: readonly DeclaredLabel[] = [
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
  return new Map(all.map((label) => [bare(label.text), { ...label, ...bracketsOf(label.text) }]))
}

type DeclaredLabel = Pick<Label, 'text' | 'status'>

/** Folded like the answers it is compared with. */
function bare(text: string): string {
  return strip(fold(text))
}

const pairs: readonly (readonly [open: string, close: string])[] = [
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]

/** The brackets around a label, or the one that it leaves open: `Output (a`. */
function bracketsOf(text: string): Required<Pick<Label, 'opened' | 'closed'>> {
  const folded = fold(text)
  const label = bare(text)
  const at = folded.indexOf(label)
  const [closed = ''] = /^[)\]}>]*/.exec(folded.slice(at + label.length)) ?? []
  const open = pairs.find(([start, end]) => label.lastIndexOf(start) > label.lastIndexOf(end))
  return { opened: (/[([{<]*$/.exec(folded.slice(0, at)) ?? [''])[0], closed: closed || (open?.[1] ?? '') }
}

interface LabelProblem {
  readonly label: string
  readonly problem: string
}

/** Stops and signs that belong to the sentence around a label, and not to the label. */
const foreign = /[^*_~`#|"'‘’“”«»()[\]{}<>]/u

function problemOf({ text }: DeclaredLabel, earlier: readonly DeclaredLabel[]): readonly LabelProblem[] {
  if (typeof text !== 'string') return [{ label: printed(text), problem: `${printed(text)} must be a string` }]
  const folded = fold(text)
  const because = (problem: string) => [{ label: text, problem: `${printed(text)} ${problem}` }]
  if (folded.trim() === '') return because('is blank')
  if (linesOf(folded).length > 1) return because('goes over more than one line')
  const label = bare(text)
  if (label === '') return because('is nothing but marks that answers are freed from')
  const at = folded.indexOf(label)
  if (foreign.test(folded.slice(0, at) + folded.slice(at + label.length)) || folded.startsWith('!'))
    return because('begins or ends with a mark that answers are freed from; leave it out')
  if (earlier.some((other) => bare(String(other.text)) === label))
    return because('is given twice; case and marks around a label do not count')
  return []
}

function scoreProblem(label: string, score: unknown, labels: readonly string[]): readonly LabelProblem[] {
  const because = (problem: string) => [{ label, problem: `the score of ${printed(label)} ${problem}` }]
  if (!labels.includes(label)) return because('belongs to no label for pass or fail')
  if (typeof score !== 'number' || !(score >= 0 && score <= 1))
    return because(`is ${printed(score)}, not within 0 to 1`)
  return []
}

/** Returns the one label in a string, or the reason why there is not exactly one. */
export type ReadLabel = Label | Unread

/** Includes the probability of the label among all labels, if the model returns log-probabilities. */
export function judgmentOf(
  read: ReadLabel,
  { text, logprobs }: JudgeModelResponse,
  labels: LabelSet,
  scoreOf?: (label: string) => CategoricalScore,
): Judgment {
  if (read === 'none') return unreadable(read, 'the answer says none of the labels, or not clearly')
  if (read === 'ambiguous')
    return unreadable(read, 'the answer says more than one label, or continues in a way that may contradict it')
  const texts = [...labels.values()].map((label) => label.text)
  const confidence = labelProbability(logprobs, read.text, texts)
  const metadata = { label: read.text, ...(confidence === undefined ? {} : { confidence }) }
  return labelled(read, reasoningOf(text, read.text), metadata, scoreOf)
}

function labelled(
  { text, status }: Label,
  reasoning: string,
  metadata: JsonObject,
  scoreOf?: (label: string) => CategoricalScore,
): Judgment {
  const scored = () => ({ metadata, ...(scoreOf === undefined ? {} : { score: scoreOf(text) }) })
  switch (status) {
    case 'pass':
      return pass(reasoning, scored())
    case 'fail':
      return fail(reasoning, scored())
    case 'abstain':
      return abstain(reasoning, { metadata })
    default:
      return status satisfies never
  }
}
