import type { JsonObject } from '../../json.js'
import { abstain, fail, type Judgment, pass } from '../../judgment.js'
import type { CategoricalScore } from '../../score.js'
import { type JudgeModelResponse, type Unread, unreadable } from '../model.js'
import { reasoningOf } from './answer-text.js'
import { labelProbability } from './label-probability.js'
import type { Label, LabelSet } from './label-set.js'

/** The one label in a text, or why there is not exactly one. */
export type ReadLabel = Label | Unread

/** The judgment for the label that an answer says, with its probability among all labels where the model gives it. */
export function judgmentOf(
  read: ReadLabel,
  { text, logprobs }: JudgeModelResponse,
  labels: LabelSet,
  scoreOf?: (label: string) => CategoricalScore,
): Judgment {
  if (read === 'none') return unreadable(read, 'the answer says none of the labels, or not clearly')
  if (read === 'ambiguous')
    return unreadable(read, 'the answer says more than one label, or goes on in a way that may not agree with it')
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
