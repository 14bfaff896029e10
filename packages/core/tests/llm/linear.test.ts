import { judgmentContext, pass, runJudge } from '@jurist/core'
import type { StandardSchema } from '@jurist/core/llm'
import {
  agentJudge,
  answerLine,
  fence,
  gEval,
  json,
  labels,
  matched,
  passFail,
  promptTemplate,
  rubric,
  scoreLine,
  semanticDiff,
  verifyLines,
} from '@jurist/core/llm'
import { faithfulness, hallucination, ragFacts } from '@jurist/core/rag'
import { aContext, memoryWorkspace } from '@jurist/core/testing'
import { lineDiff } from '@jurist/kit/text-diff'
import { describe, expect, test } from 'vitest'

const anything: StandardSchema = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) },
}
const context = aContext({ agentOutput: 'It is so.', referenceData: ['It is so.'] })
const answering = (text: string) => async () => ({ text })
const classifying = (classify: ReturnType<typeof passFail>) => async (text: string) => classify({ text }, context)

/** Everything that reads what a model or an agent wrote. */
const readers: { readonly [name: string]: (text: string) => unknown } = {
  passFail: classifying(passFail('YES', 'NO')),
  answerLine: classifying(answerLine()),
  labels: classifying(labels({ pass: ['good', 'very good'], fail: ['poor'] })),
  'labels in brackets': classifying(labels({ pass: ['Output (a)', '[[A]]'], fail: ['(B)'] })),
  'a conclusion': (text) =>
    labels({ pass: ['A'], fail: ['B'] })({ text: `${text}\nTherefore, ${text} A is better. So A is better.` }, context),
  matched: classifying(matched(/\[\[(\w+)\]\]/, { YES: 'pass', NO: 'fail' })),
  'matched in the middle': (text) =>
    matched(/\[\[(\w+)\]\]/, { YES: 'pass', NO: 'fail' })({ text: `${text}[[YES]]${text}` }, context),
  scoreLine: classifying(scoreLine({ passingAt: 0.5 })),
  json: classifying(json(anything, () => pass('x'))),
  'passFail after an answer': (text) => passFail('YES', 'NO')({ text: `YES\n${text}` }, context),
  'passFail after reasons': (text) => passFail('YES', 'NO')({ text: `YES\nReasoning: so\n${text}` }, context),
  'passFail on the line of the answer': (text) => passFail('YES', 'NO')({ text: `YES, ${text}` }, context),
  'scoreLine after a score': (text) => scoreLine({ passingAt: 0.5 })({ text: `Score: 9 ${text}` }, context),
  'json before more': (text) => json(anything, () => pass('x'))({ text: `{"a": 1}\n${text}` }, context),
  'json after more': (text) => json(anything, () => pass('x'))({ text: `${text}\n{"a": 1}` }, context),
  agentJudge: (text) =>
    runJudge(
      agentJudge({
        criteria: 'x',
        agent: () => ({ status: 'completed', output: { type: 'text', text: `PASS: true\nREASONING: so\n${text}` } }),
      }),
      context,
    ),
  'steps of gEval': (text) => runJudge(gEval({ model: answering(text), criteria: 'x', askAgain: 0 }), context),
  rubric: (text) =>
    runJudge(rubric({ model: answering(text), criteria: [{ name: 'a', description: 'b' }], askAgain: 0 }), context),
  hallucination: (text) => runJudge(hallucination({ model: answering(`Unsupported:\n${text}`), askAgain: 0 }), context),
  faithfulness: (text) => runJudge(faithfulness({ model: answering(text), askAgain: 0 }), context),
  verifyLines,
  fence: (text) => fence('a', text, 'nonce-of-this'),
  template: (text) =>
    promptTemplate('t', '{{output}} {{goal}}', { fenced: ['output'] })(
      judgmentContext({ agentOutput: text, goal: `x${text}` }),
    ),
  templateText: (text) => {
    try {
      return promptTemplate('t', `x${text}`)
    } catch {
      return undefined
    }
  },
  ragFacts: (text) => ragFacts(judgmentContext({ metadata: { 'rag.context': [text, text], 'rag.answer': text } })),
  semanticDiff: (text) =>
    runJudge(
      semanticDiff({ model: answering('FAIL'), criteria: ['a'], askAgain: 0 }),
      aContext({ workspace: memoryWorkspace({ a: `x\n${text}` }), before: memoryWorkspace({ a: `y\n${text}z` }) }),
    ),
}

const pieces: readonly string[] = [
  ...['\n', '\r\n', '\r', '\u2028', ' ', '\t', '\u00a0', ' \n', '\n ', '\v', '> ', '>\n', '- ', '-\n', '* ', '*', '_'],
  ...[
    '#',
    '.',
    '...',
    '…',
    '. ',
    ')',
    '"',
    "'",
    '`',
    '```',
    '```\n',
    '"\n',
    '\\',
    '\\"',
    '\\\n',
    '{"\\"',
    '{',
    '}',
    '[',
  ],
  ...[
    ']',
    '{}',
    '[]',
    '[1]',
    '{"a":',
    '{"a":1} ',
    '[[',
    '<',
    '</a>',
    '<a',
    '!',
    '?',
    ':',
    '=',
    ': ',
    '|',
    '/',
    '0',
    '1. ',
  ],
  ...[
    'a',
    'a ',
    'é',
    'ＡＢ',
    'ﷺ',
    '\u200b',
    '\u00ad',
    '👎',
    '不',
    'YES',
    'YES ',
    'YES\n',
    'NO\n',
    'no ',
    'Answer:',
    'Answer: ',
  ],
  ...['Answer:\n', 'Answer: YES\n', 'the final ', 'my answer is ', 'Score: 9\n', 'Score: ', '9 out of 10 ', '1.'],
  ...[
    'Reasoning:',
    'Reasoning: ',
    'Reasoning:\n',
    'It says:\n',
    'the output ',
    'Unsupported:\n',
    'Unsupported: ',
    '- a\n',
  ],
  ...[
    'step 1',
    'Step 1. ',
    'VERIFY:',
    'VERIFY: a\n',
    '- [ ] ',
    '{{',
    '{{a',
    '{{output}}',
    '"claims": ["',
    'PASS: true\n',
  ],
  ...['i would ', 'wait, ', 'not met ', 'because ', 'the goal was ', 'it is not ', 'let me ', 'that is ', "don't "],
]

const small = 512
const times = 16
const large = times * small
/** What takes less processor time than this, in milliseconds, is no square of the large size. */
const negligible = 12

/** The system counts processor time in steps of about this many milliseconds. */
const step = 4

/** The processor time, in milliseconds, of reading a text `count` times. The clock would also count other work of the machine. */
async function costOf(read: (text: string) => unknown, text: string, count: number): Promise<number> {
  const before = process.cpuUsage()
  for (let done = 0; done < count; done++) await read(text)
  return process.cpuUsage(before).user / 1_000
}

describe.each(Object.entries(readers))('%s', (_, read) => {
  test('takes time in proportion to what it reads, whatever that is', async () => {
    for (const [index, piece] of pieces.entries())
      for (const end of index % 2 === 0 ? ['\\\n'] : ['']) {
        const ofSize = (size: number) => piece.repeat(Math.ceil(size / piece.length)) + end
        let [cost, inParts] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
        // In proportion it would be as much as the same length in small texts, by the square 16 times as much. The least of
        // several runs counts.
        for (let run = 0; run < 6 && cost >= Math.max(negligible, 5 * Math.max(inParts, step)); run++) {
          cost = Math.min(cost, await costOf(read, ofSize(large), 1))
          if (cost >= negligible) inParts = Math.min(inParts, await costOf(read, ofSize(small), times))
        }
        expect(cost, JSON.stringify([piece, end])).toBeLessThan(Math.max(negligible, 5 * Math.max(inParts, step)))
      }
  })
})

test('a line difference of long equal stretches that are shifted is given up', () => {
  const same = Array.from({ length: 100_000 }, () => 'same')
  const distinct = (name: string) => Array.from({ length: 2_000 }, (_, index) => `${name} ${index}`)
  const [before, after] = [
    ['old', ...same, ...distinct('old')],
    ['new', ...same, ...distinct('new')],
  ]
  const lines = lineDiff(before, after)
  expect(lines).toHaveLength(before.length + after.length)
})
