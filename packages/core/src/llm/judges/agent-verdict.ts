import type { JudgmentContext } from '../../context.js'
import type { Judgment } from '../../judgment.js'
import { fail, pass } from '../../judgment.js'
import { answerLinePattern, answerValues } from '../classifiers/answer-lines.js'
import { labelSet } from '../classifiers/label-set.js'
import { labelReader } from '../classifiers/read-label.js'
import { fold, linesOf, strip } from '../classifiers/reading.js'
import { reasoningOf } from '../classifiers/reasoning.js'
import { scoreLine } from '../classifiers/score-line.js'
import type { Unread } from '../classify.js'
import { unreadable } from '../classify.js'

const passLine = answerLinePattern({ leading: [], announcing: ['pass'] })
const readWord = labelReader(labelSet({ pass: ['true', 'yes'], fail: ['false', 'no'] }), { answerLinesOnly: true })

/**
 * Reads what an agent that judges was asked for: lines `PASS: true` or `PASS: false`, and `SCORE:` from 0 to 10. Without a
 * threshold the PASS lines decide, with one the score does, unless a PASS line says otherwise. What cannot be read
 * abstains.
 */
export async function agentVerdict(
  text: string,
  threshold: number | undefined,
  context: JudgmentContext,
): Promise<Judgment> {
  const said = passIn(text)
  const scored = await scoreLine({ passingAt: threshold ?? 0 })({ text }, context)
  return threshold === undefined ? bySaying(said, scored, text) : byScore(said, scored)
}

function byScore(said: Saying, scored: Judgment): Judgment {
  const agrees = said === 'none' || said === scored.status || scored.status === 'abstain'
  return agrees ? scored : unreadable('ambiguous', 'the PASS line says another thing than the score')
}

function bySaying(said: Saying, { score }: Judgment, text: string): Judgment {
  const extras = score === undefined ? {} : { score }
  switch (said) {
    case 'pass':
      return pass(reasoningOf(text, said), extras)
    case 'fail':
      return fail(reasoningOf(text, said), extras)
    case 'none':
      return unreadable(said, 'the answer has no PASS line that says true or false')
    case 'ambiguous':
      return unreadable(said, 'the PASS lines of the answer contradict each other')
    default:
      return said satisfies never
  }
}

type Saying = 'pass' | 'fail' | Unread

function passIn(text: string): Saying {
  const lines = linesOf(fold(text)).filter((line) => strip(line) !== '')
  const read = new Set((answerValues(lines, passLine) ?? []).map(sayingOf))
  const [first = 'none'] = read
  return read.size > 1 ? 'ambiguous' : first
}

function sayingOf(value: string): Saying {
  const label = readWord(`answer: ${value}`)
  if (typeof label === 'string') return label
  return label.status === 'pass' ? 'pass' : 'fail'
}
