import type { Judgment } from '../../judgment.js'
import { abstain, fail, pass } from '../../judgment.js'
import { checkOptions, option } from '../../options.js'
import type { CategoricalScore } from '../../score.js'
import { categorical } from '../../score.js'
import type { Classify } from '../classify.js'
import { unreadable } from '../classify.js'
import type { JudgeModelResponse } from '../model.js'
import { unlessCutOff } from './cut-off.js'
import type { Label, LabelOptions } from './label-set.js'
import { labelSet } from './label-set.js'
import type { ReadLabel } from './read-label.js'
import { labelReader } from './read-label.js'
import { reasoningOf } from './reasoning.js'

/**
 * Reads one of several labels. Case, emphasis, quotes, brackets and stops around a label do not matter, nor do reasons
 * on other lines. A line such as `Answer: good` decides when there is one; else the first line that begins with a label,
 * any line that is one, or a conclusion such as `Therefore, Output (b) is better.` at the end. Two different labels, and a
 * label that a sentence goes on from, are not read. Labels may be declared with brackets, quotes or emphasis around them.
 *
 * @param options labels by what they mean; `scores` gives pass and fail labels a number within [0, 1]
 * @returns a classifier; a match has a categorical score and the metadata `label`, spelt as declared; no match abstains
 * with the metadata `unread`: `'none'` or `'ambiguous'`
 * @throws `labels-invalid`, `option-invalid`
 *
 * @example
 * labels({ pass: ['good', 'excellent'], fail: ['poor'], abstain: ['n/a'], scores: { good: 0.6, excellent: 1, poor: 0 } })
 */
export function labels(options: LabelOptions): Classify {
  const checked = checkOptions('labels', options, {
    pass: option.strings,
    fail: option.strings,
    abstain: option.strings,
    scores: option.record,
  })
  const { pass: passing = [], fail: failing = [], scores } = checked
  const read = labelReader(labelSet(checked), { answerLinesOnly: false })
  const allowed = [...passing, ...failing]
  const scoreOf = (label: string) => categorical(label, allowed, scores && { scale: scores })
  return unlessCutOff(async function labels({ text }: JudgeModelResponse) {
    return judgmentOf(read(text), text, scoreOf)
  })
}

/**
 * Reads one label for pass and one for fail, as `labels` does; the score is a boolean.
 *
 * @throws `labels-invalid`
 *
 * @example
 * passFail('YES', 'NO')
 */
export function passFail(passLabel = 'PASS', failLabel = 'FAIL'): Classify {
  const read = labelReader(labelSet({ pass: [passLabel], fail: [failLabel] }), { answerLinesOnly: false })
  return unlessCutOff(async function passFail({ text }: JudgeModelResponse) {
    return judgmentOf(read(text), text)
  })
}

/**
 * Reads nothing but lines such as `Answer: YES`, as `labels` does; the score is a boolean. For answers in which reasons,
 * or quotes from what was judged, might begin with a label.
 *
 * @param options default `YES` for pass, `NO` for fail
 * @throws `labels-invalid`, `option-invalid`
 *
 * @example
 * answerLine({ pass: ['GROUNDED'], fail: ['MADE UP'] })
 */
export function answerLine(options?: {
  readonly pass?: readonly string[]
  readonly fail?: readonly string[]
}): Classify {
  const { pass: passing = ['YES'], fail: failing = ['NO'] } = checkOptions('answerLine', options, {
    pass: option.strings,
    fail: option.strings,
  })
  const read = labelReader(labelSet({ pass: passing, fail: failing }), { answerLinesOnly: true })
  return unlessCutOff(async function answerLine({ text }: JudgeModelResponse) {
    return judgmentOf(read(text), text)
  })
}

/** The judgment for the label that a text says. */
export function judgmentOf(read: ReadLabel, text: string, scoreOf?: (label: string) => CategoricalScore): Judgment {
  if (read === 'none') return unreadable(read, 'the answer says none of the labels, or not clearly')
  if (read === 'ambiguous')
    return unreadable(read, 'the answer says more than one label, or goes on in a way that may not agree with it')
  return labelled(read, reasoningOf(text, read.text), scoreOf)
}

function labelled({ text, status }: Label, reasoning: string, scoreOf?: (label: string) => CategoricalScore): Judgment {
  const metadata = { label: text }
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
