import type { Classify } from '@jurist/core/llm'
import { answerLine, labels, passFail } from '@jurist/core/llm'
import { aContext } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'

const read = async (classify: Classify, text: string) => {
  const { status, metadata } = await classify({ text }, aContext())
  return [status, metadata.label ?? metadata.unread]
}

const output = labels({ pass: ['Output (a)'], fail: ['Output (b)'] })
const cut = labels({ pass: ['Output (a'], fail: ['Output (b'] })
const round = labels({ pass: ['(A)'], fail: ['(B)'] })
const square = labels({ pass: ['[[A]]'], fail: ['[[B]]'], abstain: ['[[C]]'] })

describe('labels with brackets are declared as answers write them', () => {
  test.each<[Classify, string, string, string]>([
    [output, 'Output (a)', 'pass', 'Output (a)'],
    [output, '**OUTPUT (B)**.', 'fail', 'Output (b)'],
    [output, 'Answer: Output (b)', 'fail', 'Output (b)'],
    [output, 'Answer: "Output (a)"', 'pass', 'Output (a)'],
    [output, 'Output (b): the other is wrong', 'fail', 'Output (b)'],
    [output, 'Output (b), since it is right', 'fail', 'Output (b)'],
    [output, 'Output (b) - it is right', 'fail', 'Output (b)'],
    [output, 'Both are fine.\n\nOutput (b)', 'fail', 'Output (b)'],
    [output, 'Output (a)\nOutput (b)', 'abstain', 'ambiguous'],
    [output, 'Output (ab)', 'abstain', 'none'],
    [round, '(A)', 'pass', '(A)'],
    [round, 'b', 'fail', '(B)'],
    [round, '**(B)**', 'fail', '(B)'],
    [round, '(B), since it has a better structure', 'fail', '(B)'],
    [round, 'Answer: (B)', 'fail', '(B)'],
    [square, '[[A]]', 'pass', '[[A]]'],
    [square, 'My final verdict is: [[B]]', 'fail', '[[B]]'],
    [square, 'Verdict: [[C]]', 'abstain', '[[C]]'],
    [passFail('<yes>', '"no"'), '<yes>', 'pass', '<yes>'],
    [passFail('**YES**', '**NO**'), 'No.', 'fail', '**NO**'],
    [answerLine({ pass: ['(A)'], fail: ['(B)'] }), 'Answer: [B]', 'fail', '(B)'],
  ])('%# %s', async (classify, text, status, label) => {
    expect(await read(classify, text)).toEqual([status, label])
  })
  test.each([
    'Output (a) incorrectly states the date.',
    'Output (b) is shorter',
    '**Output (b)** incorrectly states the date.',
    'Output (b) because it is right',
    '"Output (b)" says nothing',
  ])('the bracket of a label separates nothing: %s', async (text) => {
    for (const classify of [output, cut]) expect(await read(classify, text)).toEqual(['abstain', 'none'])
  })
  test.each(['(B) is wrong', '(A) incorrectly states the date.', '**(B)** is wrong', '[[B]] says nothing'])(
    'nor does that of a label within brackets: %s',
    async (text) => {
      for (const classify of [round, square]) expect(await read(classify, text)).toEqual(['abstain', 'none'])
    },
  )
  test('the score has the label as it was declared', async () => {
    expect((await round({ text: '(B)' }, aContext())).score).toMatchObject({ value: '(B)', allowed: ['(A)', '(B)'] })
  })
})
