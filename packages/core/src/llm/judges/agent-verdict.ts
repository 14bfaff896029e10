import type { JudgmentContext } from '../../context.js'
import type { Judgment } from '../../judgment.js'
import { fail, pass } from '../../judgment.js'
import { answerLinePattern } from '../classifiers/answer-lines.js'
import type { Line } from '../classifiers/answer-text.js'
import type { Label, LabelSet } from '../classifiers/label-set.js'
import { labelReader } from '../classifiers/read-label.js'
import { stripStart } from '../classifiers/reading.js'
import { reasoningOf } from '../classifiers/reasoning.js'
import { scoreLineIn } from '../classifiers/score-line.js'
import type { Unread } from '../classify.js'
import { unreadable } from '../classify.js'

const passLine = answerLinePattern({ leading: [], announcing: ['pass'] })
const scoreWord = answerLinePattern({ leading: [], announcing: ['score'] })
const isLineOf = (pattern: RegExp) => (line: Line) => pattern.test(stripStart(line.raw))
const yes: Label = { text: 'true', status: 'pass' }
const no: Label = { text: 'false', status: 'fail' }
const words: LabelSet = new Map([
  ['true', yes],
  ['yes', yes],
  ['false', no],
  ['no', no],
])
const readPass = labelReader(words, {
  answerLinesOnly: true,
  announced: passLine,
  isPart: (line) => isLineOf(scoreWord)(line) && /\d/.test(line.text),
  reasonsLast: true,
})

/**
 * Reads what an agent that judges was asked for: lines `PASS: true` or `PASS: false`, and `SCORE:` from 0 to 10. Without a
 * threshold the PASS lines decide, unless the score says otherwise; with one the score does, unless a PASS line says
 * otherwise. What cannot be read abstains.
 */
export async function agentVerdict(
  text: string,
  threshold: number | undefined,
  context: JudgmentContext,
): Promise<Judgment> {
  const said = passIn(text)
  const form = { isPart: isLineOf(passLine), reasonsLast: true }
  const scored = await scoreLineIn({ passingAt: threshold ?? middle }, form)({ text }, context)
  return threshold === undefined ? bySaying(said, scored, text) : byScore(said, scored)
}

/** A score below it does not go with a pass, where nobody has said what is enough. */
const middle = 0.5

function byScore(said: Saying, scored: Judgment): Judgment {
  const agrees = said === 'none' || said === scored.status || scored.status === 'abstain'
  return agrees ? scored : unreadable('ambiguous', 'the PASS line says another thing than the score')
}

function bySaying(said: Saying, scored: Judgment, text: string): Judgment {
  const extras = scored.score === undefined ? {} : { score: scored.score }
  switch (said) {
    case 'pass':
      if (scored.status === 'fail' || scored.metadata['unread'] === 'ambiguous')
        return unreadable('ambiguous', 'the PASS line says another thing than the score')
      return pass(reasoningOf(text, said), extras)
    case 'fail':
      return fail(reasoningOf(text, said), extras)
    case 'none':
      return unreadable(said, 'the answer has no PASS line that says true or false')
    case 'ambiguous':
      return unreadable(said, 'the answer contradicts its PASS line, or goes on in a way that may not agree with it')
    default:
      return said satisfies never
  }
}

type Saying = 'pass' | 'fail' | Unread

function passIn(text: string): Saying {
  const label = readPass(text)
  if (typeof label === 'string') return label
  return label.status === 'pass' ? 'pass' : 'fail'
}
