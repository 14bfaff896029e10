import { effectiveScore } from '@jurist/core'
import type { Classify } from '@jurist/core/llm'
import { answerLine, labels, passFail, scoreLine, userRequest } from '@jurist/core/llm'
import { aContext, scriptedModel } from '@jurist/core/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Case } from '../vectors.js'
import { casesOf } from '../vectors.js'

interface VectorClassifier {
  readonly type: string
  readonly pass?: never
  readonly fail?: never
  readonly [option: string]: unknown
}

const factories: Record<string, (given: VectorClassifier) => Classify> = {
  passFail: ({ pass, fail }) => passFail(pass, fail),
  answerLine: ({ type, ...options }) => answerLine(options),
  labels: ({ type, ...options }) => labels(options),
  scoreLine: ({ type, ...options }) => scoreLine({ passingAt: 0.5, ...options }),
}

interface Expected {
  readonly error?: string
  readonly status?: string
  readonly label?: string
  readonly value?: number | null
  readonly reason?: string
}

const judge = async (classify: Classify, text: string) =>
  classify(await scriptedModel(text)(userRequest('?')), aContext())

describe('the classifier vectors', () => {
  const cases = casesOf('classifiers')
  test('are all there', () => expect(cases).toHaveLength(46))
  test.each(cases)('$id: $why', async ({ classifier, text, expected }: Case) => {
    const given = classifier as VectorClassifier
    const { error, status, label, value, reason } = expected as Expected
    const make = () => factories[given.type]?.(given) as Classify
    if (error !== undefined) return expect(make).toThrow(expect.objectContaining({ code: error }))
    const judgment = await judge(make(), text as string)
    expect([judgment.status, judgment.metadata['label'], judgment.metadata['unread']]).toEqual([status, label, reason])
    if (value !== undefined) expect(effectiveScore(judgment)).toBe(value)
  })
})

describe('the score lines among the score vectors', () => {
  const cases = casesOf('scores').filter(({ op }) => op === 'scoreLine')
  test('are all there', () => expect(cases).toHaveLength(3))
  test.each(cases)('$id: $why', async ({ range, text, expected }) => {
    const { status, value, reason } = expected as Expected
    const judgment = await judge(scoreLine({ ...(range as object), passingAt: 0.5 }), text as string)
    expect(judgment.score?.value ?? null).toBe(value)
    if (status !== undefined) expect(judgment.status).toBe(status)
    expect(judgment.metadata['unread']).toBe(reason)
  })
})

const pf = passFail()
const yn = passFail('YES', 'NO')
const al = answerLine()
const rl = labels({ pass: ['relevant'], fail: ['irrelevant', 'not relevant'], abstain: ['n/a'] })
const q = labels({ pass: ['good', 'excellent'], fail: ['poor'], scores: { good: 0.6, excellent: 1, poor: 0.1 } })

type Row = readonly [Classify, string, 'pass' | 'fail' | 'abstain', string]

const rows: readonly Row[] = [
  [pf, 'PASS', 'pass', 'PASS'],
  [pf, '  fail \n', 'fail', 'FAIL'],
  [pf, 'PASS.', 'pass', 'PASS'],
  [pf, '**PASS**', 'pass', 'PASS'],
  [pf, '__FAIL__!', 'fail', 'FAIL'],
  [pf, 'PASS\nbecause the file is there', 'pass', 'PASS'],
  [pf, 'The file is there.\n\nPASS', 'pass', 'PASS'],
  [pf, 'PASS\nOn reflection:\nFAIL', 'abstain', 'ambiguous'],
  [pf, 'not pass', 'abstain', 'none'],
  [pf, 'PASS because it works', 'abstain', 'none'],
  [pf, 'PASS: it works', 'pass', 'PASS'],
  [pf, 'PASS - it works', 'pass', 'PASS'],
  [pf, 'pass-through is fine', 'abstain', 'none'],
  [pf, 'PASS/FAIL', 'abstain', 'ambiguous'],
  [pf, 'PASS?', 'abstain', 'none'],
  [pf, '!PASS', 'abstain', 'none'],
  [pf, '\u00a0pass\u00a0', 'pass', 'PASS'],
  [pf, 'ＰＡＳＳ', 'pass', 'PASS'],
  [pf, '', 'abstain', 'none'],
  [pf, '{"verdict": "FAIL"}', 'fail', 'FAIL'],
  [pf, '```\nPASS\n```', 'pass', 'PASS'],
  [pf, 'Verdict = pass', 'pass', 'PASS'],
  [pf, 'PASSED', 'abstain', 'none'],
  [yn, 'Yes, it does.', 'pass', 'YES'],
  [yn, 'Yes, there is no issue.', 'abstain', 'ambiguous'],
  [yn, 'Answer: NO\nReasoning: the user said yes', 'fail', 'NO'],
  [yn, 'NO\nThe agent failed to write it', 'fail', 'NO'],
  [yn, 'maybe', 'abstain', 'none'],
  [yn, 'My eyes say so', 'abstain', 'none'],
  [al, 'Answer: YES', 'pass', 'YES'],
  [al, 'YES', 'abstain', 'none'],
  [al, '**Answer:** YES', 'pass', 'YES'],
  [al, 'Answer: [NO]', 'fail', 'NO'],
  [al, '- Answer: NO', 'fail', 'NO'],
  [al, 'Answer: NOT SURE', 'abstain', 'none'],
  [al, 'Answer: YESTERDAY', 'abstain', 'none'],
  [al, 'Answer: YES or NO', 'abstain', 'ambiguous'],
  [al, 'Answer: NO\nAnswer: YES', 'abstain', 'ambiguous'],
  [al, 'Answer: YES\n\nFinal answer: YES', 'pass', 'YES'],
  [al, 'Answer:\n\nYES', 'pass', 'YES'],
  [al, 'The final answer is: **no**.', 'fail', 'NO'],
  [al, '> Answer: YES\n\nAnswer: NO', 'abstain', 'ambiguous'],
  [al, 'I think the answer: YES', 'abstain', 'none'],
  [al, 'Answer: No claims are made up', 'abstain', 'none'],
  [rl, 'Irrelevant', 'fail', 'irrelevant'],
  [rl, 'NOT RELEVANT', 'fail', 'not relevant'],
  [rl, 'maybe somewhat relevant', 'abstain', 'none'],
  [rl, 'N/A', 'abstain', 'n/a'],
  [rl, 'Label: relevant', 'pass', 'relevant'],
  [q, 'Rating aside.\nVerdict: Good', 'pass', 'good'],
  [q, 'good, even excellent', 'abstain', 'ambiguous'],
  [q, 'Poor.', 'fail', 'poor'],
  // What the table leaves to the rule.
  [pf, 'P\u200bA\u00adSS', 'pass', 'PASS'],
  [pf, 'PASS\u2028because it is there', 'pass', 'PASS'],
  [pf, 'PASS\u2028but wait', 'abstain', 'ambiguous'],
  [pf, 'PASS.txt is there', 'abstain', 'none'],
  [pf, 'PASS (all of it)', 'pass', 'PASS'],
  [pf, "PASS's fine", 'abstain', 'none'],
  [pf, 'naïve pass', 'abstain', 'none'],
  [pf, 'Verdict: PASS.\nVerdict: unclear', 'abstain', 'ambiguous'],
  [pf, 'Verdict: unclear\nVerdict: PASS.', 'abstain', 'ambiguous'],
  [pf, '## Verdict\n\nIt holds.\n\nVerdict: PASS', 'pass', 'PASS'],
  [al, '## Answer\n**YES**', 'pass', 'YES'],
  [al, 'Answer:\nAnswer: NO', 'fail', 'NO'],
  [labels({ pass: ['label'], fail: ['no'] }), 'Answer:\nLabel: no', 'fail', 'no'],
  [al, 'Answer:', 'abstain', 'none'],
  [al, 'My overall *verdict* is: “No”', 'fail', 'NO'],
  [al, '**Final** **Answer**: YES', 'pass', 'YES'],
  [al, 'The answers: YES', 'abstain', 'none'],
  [al, 'Answer: !NO', 'abstain', 'none'],
  [rl, 'Not relevant, but relevant to others', 'abstain', 'ambiguous'],
]

describe('labels', () => {
  test.each(rows.map(([classify, text, status, found]) => ({ classify, text, status, found })))(
    '$text: $status, $found',
    async ({ classify, text, status, found }) => {
      const judgment = await judge(classify, text)
      const { label, unread } = judgment.metadata
      expect([judgment.status, label ?? unread]).toEqual([status, found])
    },
  )
  test('a pass that was read has a score: yes or no, or the label among those declared', async () => {
    expect((await judge(pf, 'FAIL')).score).toEqual({ type: 'boolean', value: false })
    const scale = { good: 0.6, excellent: 1, poor: 0.1 }
    expect((await judge(q, 'Good')).score).toEqual({
      type: 'categorical',
      value: 'good',
      allowed: ['good', 'excellent', 'poor'],
      scale,
    })
    expect((await judge(rl, 'relevant')).score).toEqual({
      type: 'categorical',
      value: 'relevant',
      allowed: ['relevant', 'irrelevant', 'not relevant'],
    })
  })
  test.each([
    ['Reasoning: It is rude.\n\nAnswer: NO', 'It is rude.'],
    ['**Reasoning:** It is rude.\n**Answer: NO**\n', 'It is rude.'],
    ['It is rude.\nNO', 'It is rude.'],
    [
      'Reasoning: It is rude.\nAnswer: NO, because of its last line.',
      'It is rude.\nAnswer: NO, because of its last line.',
    ],
    ['Answer: NO', 'Answer: NO'],
    ['No reply says so.\nAnswer: NO', 'No reply says so.'],
    ['First point.\r\nSecond point.\r\n\r\nAnswer: NO', 'First point.\nSecond point.'],
  ])('the reasoning of %j leaves out the line that gives the answer', async (text, reasoning) => {
    expect(await judge(yn, text)).toMatchObject({ status: 'fail', reasoning })
  })
  test('so does that of a score', async () => {
    const classify = scoreLine({ passingAt: 0.5 })
    for (const last of ['Score: 3', '**Score:** 3/10', 'Final score: 3 out of 10', 'Score: 3.0'])
      expect((await judge(classify, `Reasoning: Two of 3 parts are missing.\n${last}`)).reasoning).toBe(
        'Two of 3 parts are missing.',
      )
  })
  test('the reasoning is what follows its line, else the answer, else the label', async () => {
    const reasoned = await judge(yn, 'Answer: NO\n**Reasoning:** two lines\nof text ')
    expect(reasoned.reasoning).toBe('two lines\nof text')
    expect((await judge(yn, ' NO\nit is not there\n')).reasoning).toBe('it is not there')
    expect((await judge(yn, 'Answer: NO\nReasoning:')).reasoning).toBe('Answer: NO\nReasoning:')
  })
  test.each([
    [{}],
    [{ abstain: ['n/a'] }],
    [{ pass: [' '] }],
    [{ pass: ['yes.'] }],
    [{ pass: ['!no'] }],
    [{ pass: ['((('] }],
    [{ pass: ['(A)'], fail: ['[a]'] }],
    [{ pass: ['a\nb'] }],
    [{ pass: ['yes'], fail: ['ＹＥＳ'] }],
    [{ pass: ['yes'], abstain: ['y\u00ades'] }],
    [{ pass: ['yes'], scores: { no: 1 } }],
    [{ pass: ['yes'], abstain: ['so'], scores: { so: 1 } }],
    [{ pass: ['yes'], scores: { yes: 1.1 } }],
  ])('%j is refused', (options) => {
    expect(() => labels(options)).toThrow(expect.objectContaining({ code: 'labels-invalid' }))
  })
  test('labels that are no text are refused', () => {
    for (const label of [5, null, {}, Symbol('s')])
      for (const make of [() => passFail(label as never), () => passFail('YES', label as never)])
        expect(make).toThrow(expect.objectContaining({ code: 'labels-invalid' }))
  })
  test('every problem is named in one error', () => {
    expect(() => labels({ pass: [' ', 'a.'], fail: ['b', 'B'], scores: { c: 2 } })).toThrow(/" ".*"a\.".*"B".*"c"/)
  })
  test('options that are none are refused', () => {
    expect(() => labels({ pas: ['yes'] } as never)).toThrow(expect.objectContaining({ code: 'option-invalid' }))
    expect(() => answerLine({ pass: 'yes' } as never)).toThrow(expect.objectContaining({ code: 'option-invalid' }))
  })
  test('law: however a label is wrapped, it is read', () => {
    const marks = (...more: readonly string[]) =>
      fc.array(fc.constantFrom(...'*_`#>|"”’»)]}.: ', ...more), { maxLength: 6 }).map((all) => all.join(''))
    const isOpen = (after: string) => after.includes('..') || after.includes(':')
    return fc.assert(
      fc.asyncProperty(
        marks(...'•·“«({,;'),
        fc.constantFrom('YES', 'No', 'nO'),
        marks(),
        async (before, label, after) => {
          const { status, metadata } = await judge(yn, `${before}${label}${after}`)
          if (label === 'YES' && isOpen(after)) expect(status).toBe('abstain')
          else expect(metadata['label']).toBe(label.toUpperCase())
        },
      ),
    )
  })
  test('law: no text makes a classifier throw, and what is not read abstains', () =>
    fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 60 }), async (text) => {
        for (const classify of [pf, al, rl, scoreLine({ passingAt: 0.5 })]) {
          const { status, metadata } = await judge(classify, text)
          expect(status === 'abstain').toBe('unread' in metadata || metadata['label'] === 'n/a')
        }
      }),
    ))
  test.each([
    ['Answer:\n', 'none', 'none'],
    ['> ', 'none', 'none'],
    ['*********', 'none', 'none'],
    ['\n', 'none', 'none'],
    ['yes no ', 'none', 'ambiguous'],
    ['"', 'none', 'none'],
    ['Answer: YES\n', 'YES', 'YES'],
  ])('%j is read as often as it is repeated', async (text, announced, anywhere) => {
    const label = async (classify: Classify) => {
      const { metadata } = await judge(classify, text.repeat(20_000))
      return metadata['label'] ?? metadata['unread']
    }
    expect(await label(al)).toBe(announced)
    expect(await label(yn)).toBe(anywhere)
  })
})

const scores: readonly (readonly [readonly [number, number], string, number | string])[] = [
  [[0, 10], 'Score: 7', 7],
  [[0, 10], '**Score:** 7.5/10', 7.5],
  [[1, 5], 'Reasoning: fine\nScore: 4 out of 5', 4],
  [[1, 5], 'Score: 8/10', 'none'],
  [[0, 10], 'Score: 11', 'none'],
  [[0, 10], 'Score: 7,5', 'none'],
  [[0, 10], 'Score: 7-8', 'none'],
  [[0, 10], 'Score: 7\nFinal score: 8', 'ambiguous'],
  [[0, 10], '8', 8],
  [[0, 10], 'I give it 8', 'none'],
  [[-5, 5], 'Score: -2', -2],
  [[0, 100], 'Score: 85%', 85],
  [[0, 10], 'Score: 70%', 'none'],
  [[0, 10], 'Score: 7. Good work', 7],
  // What the table leaves to the rule.
  [[-5, 5], 'Score: **-2**', -2],
  [[-5, 5], '-2', -2],
  [[0, 10], '- Total score: **8**', 8],
  [[0, 10], 'Score:\n\n7', 7],
  [[0, 10], 'Score: 7 - 8', 'none'],
  [[0, 10], 'Score: 7 (good)', 7],
  [[0, 10], 'Score: 4 (out of 5)', 'none'],
  [[0, 10], 'Score: 4 (out of 10)', 4],
  [[0, 10], 'Score: **7**/10', 7],
  [[0, 10], 'Score: **4**/5', 'none'],
  [[0, 10], 'Score: **7** %', 'none'],
  [[0, 10], 'Score: 7, 8 at best', 'none'],
  [[0, 10], '{\n  "score": 7,\n  "reason": "fine"\n}', 7],
  [[0, 10], 'Score: .5', 'none'],
  [[-5, 5], 'Score: –2', 'none'],
  [[0, 10], 'Score: – 2', 2],
  [[0, 10], 'Score: 7.5.2', 'none'],
  [[0, 10], 'Score: 7 of course', 'none'],
  [[0, 10], 'Score: high\nScore: 7', 'ambiguous'],
  [[0, 10], 'Score: high\nScore: 2', 2],
  [[0, 10], 'Score: 7\nGrade: 7.0', 7],
  [[0, 10], '```\n7\n```', 7],
  [[0, 10], '7\n8', 'none'],
  [[0, 1], 'Score: 1e-3', 'none'],
  [[0, 10], 'Score: ７', 7],
]

describe('scoreLine', () => {
  test.each(scores.map(([[min, max], text, found]) => ({ min, max, text, found })))(
    '$min to $max, $text: $found',
    async ({ min, max, text, found }) => {
      const judgment = await judge(scoreLine({ min, max, passingAt: 0.5 }), text)
      if (typeof found === 'number') expect(judgment.score).toEqual({ type: 'numerical', value: found, min, max })
      else expect(judgment).toMatchObject({ status: 'abstain', metadata: { unread: found } })
    },
  )
  test('passes from passingAt on, and keeps the reasons', async () => {
    const classify = scoreLine({ min: 1, max: 5, passingAt: 0.75 })
    expect(await judge(classify, 'Reasoning: close\nScore: 4')).toMatchObject({
      status: 'pass',
      reasoning: 'close',
      metadata: { label: '4' },
    })
    expect((await judge(classify, 'Score: 3.9')).status).toBe('fail')
  })
  test.each([{}, { passingAt: 2 }, { passingAt: 0.5, min: 10 }, { passingAt: 0.5, max: Number.NaN }])(
    '%j is refused',
    (options) => {
      expect(() => scoreLine(options as never)).toThrow(expect.objectContaining({ code: 'option-invalid' }))
    },
  )
})

describe('reasons after an answer that comes first', () => {
  test.each([
    'The goal was met.',
    'All claims are supported.',
    'It is as it was asked for; nothing is missing.',
    'The output satisfies the criterion.',
    'The task is done. Everything works.',
  ])('agree with it: %s', async (reason) => {
    expect((await judge(al, `Answer: YES\n\n${reason}`)).status).toBe('pass')
    expect((await judge(yn, `YES\nReasoning: ${reason}`)).status).toBe('pass')
    expect((await judge(yn, `**YES** (${reason})`)).status).toBe('pass')
  })

  test.each([
    'No errors are handled by it.',
    'The agent did not fix errors in the file.',
    'The output is not error-free.',
    'The answer is correct only in its first line.',
    'All claims are not supported by the context.',
    'The response is not harmful, but it is off topic.',
    'Nothing is missing except the table.',
    'The test does not fail any more, since it was deleted, which was not asked.',
    'The answer is correct according to the output.',
    // What is not known to agree is asked once more, even where a reader sees that it does.
    'The answer is correct because 2+2=4.',
    'The function returns the sum, no obvious errors were found.',
  ])('do not: %s', async (reason) => {
    expect((await judge(al, `Answer: YES\n\n${reason}`)).status).toBe('abstain')
  })
})
