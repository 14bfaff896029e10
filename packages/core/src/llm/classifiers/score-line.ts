import { scored } from '../../judgment.js'
import { checkRequired, finite, option, optionInvalid } from '../../options.js'
import { meets, numerical } from '../../score.js'
import { type Classify, type JudgeModelResponse, type Unread, unreadable } from '../model.js'
import {
  answerLinePattern,
  answerText,
  answerValues,
  isComplete,
  reasoningOf,
  scoreWords,
  stripStartOfNumber,
} from './answer-text.js'
import { endsWell, type Form, isLastWord } from './last-word.js'
import { confidenceOf, weighedScores } from './probability.js'
import { ofAnswer } from './whole-answer.js'

interface Range {
  readonly min: number
  readonly max: number
}

/**
 * Reads a score from a line such as `Score: 7`, `**Score:** 7.5/10` or `Final score: 7 out of 10`, or from an answer
 * that is only a number. Does not read a number outside the range or of another range, two different scores, and
 * anything that might be two numbers.
 *
 * @param options `min` and `max` of the range, default 0 and 10; `passingAt` within [0, 1], on the normalised score
 * @returns a classifier; a match has a numerical score and the metadata `label`, and `confidence` where the model
 * returns log-probabilities; no match abstains with the metadata `unread`: `'none'` or `'ambiguous'`
 * @throws `option-invalid`
 *
 * @example
 * import { scoreLine } from '@jurist/core/llm'
 *
 * scoreLine({ min: 1, max: 5, passingAt: 0.75 })
 */
export function scoreLine(options: ScoreLineOptions): Classify {
  return scoreLineIn(options, {})
}

/** Options of `scoreLine`. */
export interface ScoreLineOptions {
  readonly min?: number
  readonly max?: number
  readonly passingAt: number
}

/** For answers that have other parts besides the score. */
export function scoreLineIn(options: ScoreLineOptions, form: Form): Classify {
  const rules = { min: finite, max: finite, passingAt: option.rate }
  const { min = 0, max = 10, passingAt } = checkRequired('scoreLine', options, rules, ['passingAt'])
  if (min >= max) optionInvalid('min', `scoreLine: "min" must be below "max", not ${min} and ${max}.`)
  const isPassing = (score: number) => meets((score - min) / (max - min), passingAt)
  return ofAnswer(async function scoreLine({ text, logprobs }: JudgeModelResponse) {
    const read = readScore(text, { min, max }, { ...form, isPassing })
    if (read === 'none') return unreadable(read, `the answer gives no score from ${min} to ${max}, or not clearly`)
    if (read === 'ambiguous')
      return unreadable(read, 'the answer gives more than one score, or continues in a way that may contradict it')
    const label = String(read)
    const reasoning = reasoningOf(text, label)
    const confidence = confidenceOf(read, weighedScores(read, logprobs, { min, max }), { min, max }, passingAt)
    return scored(numerical(read, { min, max }), { passingAt, reasoning, metadata: { label, ...confidence } })
  })
}

const pattern = answerLinePattern(scoreWords)

interface ScoreForm extends Form {
  readonly isPassing: (score: number) => boolean
}

function readScore(text: string, range: Range, form: ScoreForm): number | Unread {
  const lines = answerText(text)
  const announced = answerValues(lines, pattern)
  const values = announced ?? (lines.length === 1 ? lines.map(({ raw }) => ({ value: raw, index: 0, end: 0 })) : [])
  const found = values.flatMap(({ value, ...place }) => {
    const read = numberIn(stripStartOfNumber(value), range)
    return read === undefined ? [] : [{ ...read, ...place }]
  })
  const last = found.at(-1)
  if (last === undefined) return 'none'
  if (found.some(({ score }) => score !== last.score)) return 'ambiguous'
  if (!form.isPassing(last.score)) return last.score
  const isPlain = found.length === values.length && found.every(({ after }) => endsWell(after))
  return isPlain && isLastWord(lines, last, form) ? last.score : 'ambiguous'
}

const number = /^-?\d+(?:\.\d+)?/
const outOf = /^[*_`]* ?(?<bracket>[([{] ?)?(?:\/|out of) ?(?<maximum>-?\d+(?:\.\d+)?)(?: ?[)\]}])?/
const percent = /^[*_`]* ?%/

/** `undefined` if the value can mean anything else. */
function numberIn(value: string, { min, max }: Range): { readonly score: number; readonly after: string } | undefined {
  const [text] = number.exec(value) ?? []
  if (text === undefined) return undefined
  const after = restAfterUnit(value.slice(text.length), max)
  if (after === undefined || !isComplete(after) || anotherNumber.test(after)) return undefined
  const read = Number(text)
  return read >= min && read <= max ? { score: read, after } : undefined
}

const anotherNumber = /^ ?[^\p{L}\p{N} ] *\d/u

/** Skips `/10`, `out of 10` or `%`; `undefined` for another range. */
function restAfterUnit(rest: string, max: number): string | undefined {
  const [unit = '', , maximum] = outOf.exec(rest) ?? []
  if (unit !== '') return Number(maximum) === max ? rest.slice(unit.length) : undefined
  if (!percent.test(rest)) return rest
  return max === 100 ? rest.replace(percent, '') : undefined
}
