import type { Line } from './answer-text.js'
import { strip, stripStart } from './reading.js'

/** Lines such as `**Final answer:** YES`: which words announce the value, and which may stand in front of them. */
export interface AnswerLineWords {
  readonly leading: readonly string[]
  readonly announcing: readonly string[]
}

/** What announces a label. */
export const answerWords: AnswerLineWords = {
  leading: ['the', 'my', 'our', 'your', 'final', 'overall'],
  announcing: ['answer', 'verdict', 'label', 'judgment', 'judgement', 'decision'],
}
/** What announces a score. */
export const scoreWords: AnswerLineWords = {
  leading: [...answerWords.leading, 'total'],
  announcing: ['score', 'rating', 'grade'],
}

/** Finds the start of an answer line, up to its colon or equals sign. */
export function answerLinePattern({ leading, announcing }: AnswerLineWords): RegExp {
  const filling = '[*_~"\'`)\\]]*'
  return new RegExp(
    `^(?:(?:${leading.join('|')})[*_~]* [*_~]*)*(?:${announcing.join('|')})(?:${filling} is(?![a-z]))?[ *_~"'\`)\\]]*[:=]`,
  )
}

/** The value of an answer line, and the lines on which it stands. */
export interface AnswerValue {
  readonly value: string
  /** The line that announces it. */
  readonly index: number
  /** The line that holds it: the same one, or the next. */
  readonly end: number
}

/**
 * The values of the answer lines. A value that is empty is taken from the next line, unless that is an answer line itself.
 *
 * @returns `undefined` when no line is an answer line
 */
export function answerValues(lines: readonly Line[], pattern: RegExp): readonly AnswerValue[] | undefined {
  const rests = lines.map(({ raw }) => restOf(raw, pattern))
  if (rests.every((rest) => rest === undefined)) return undefined
  return rests.flatMap((rest, index) => {
    if (rest === undefined) return []
    if (strip(rest) !== '') return [{ value: rest, index, end: index }]
    const next = lines[index + 1]
    return next === undefined || rests[index + 1] !== undefined ? [] : [{ value: next.raw, index, end: index + 1 }]
  })
}

function restOf(line: string, pattern: RegExp): string | undefined {
  const start = stripStart(line)
  const found = pattern.exec(start)
  return found === null ? undefined : start.slice(found[0].length)
}
