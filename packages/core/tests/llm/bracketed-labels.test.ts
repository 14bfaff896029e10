import type { Classify } from '@jurist/core/llm'
import { answerLine, labels, passFail } from '@jurist/core/llm'
import { aContext } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'

const read = async (classify: Classify, text: string) => {
  const { status, metadata } = await classify({ text }, aContext())
  return [status, metadata.label ?? metadata.unread]
}

const output = labels({ pass: ['Output (a)'], fail: ['Output (b)'] })
const other = labels({ pass: ['Output (b)'], fail: ['Output (a)'] })
const cut = labels({ pass: ['Output (a'], fail: ['Output (b'] })
const round = labels({ pass: ['(A)'], fail: ['(B)'] })
const square = labels({ pass: ['[[A]]'], fail: ['[[B]]'], abstain: ['[[C]]'] })
const bare = labels({ pass: ['A'], fail: ['B'] })

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

describe('a sentence that says which is better', () => {
  test.each<[Classify, string, string, string]>([
    [output, 'Therefore, Output (b) is better.', 'fail', 'Output (b)'],
    [other, 'Therefore, Output (b) is better.', 'pass', 'Output (b)'],
    [other, 'Output (a) incorrectly states the date. Therefore, Output (b) is better.', 'pass', 'Output (b)'],
    [other, 'Output (a) is long.\nOutput (b) is right.\n\n**Therefore, Output (b) is better.**', 'pass', 'Output (b)'],
    [other, 'Overall, Output (b) is clearly the better response.', 'pass', 'Output (b)'],
    [output, 'So Output (b) is better than Output (a).', 'fail', 'Output (b)'],
    [output, 'Thus, the better output is Output (b).', 'fail', 'Output (b)'],
    [output, 'Output (b) is better.', 'fail', 'Output (b)'],
    [other, 'Output (b) is better.\n\nReasoning: It is as it was asked for.', 'pass', 'Output (b)'],
    [output, 'Final verdict: Output (b) is better.', 'fail', 'Output (b)'],
    [bare, 'A is short. Therefore, B is better.', 'fail', 'B'],
    [round, 'Therefore, (B) is better.', 'fail', '(B)'],
    [output, 'Output (a)\nTherefore, Output (b) is better.', 'abstain', 'ambiguous'],
    [output, 'Output (b)\nTherefore, Output (b) is better.', 'fail', 'Output (b)'],
  ])('%# %s', async (classify, text, status, label) => {
    expect(await read(classify, text)).toEqual([status, label])
  })
  test.each([
    'Therefore, Output (b) is not better.',
    'Is Output (b) better?',
    'Therefore, Output (b) is better?',
    'Therefore, Output (b) is better in style.',
    'Therefore, Output (b) is better, but both are wrong.',
    'Therefore, neither Output (a) nor Output (b) is better.',
    'Therefore, Output (b) is right.',
    'Output (a) is wrong. Output (b) is better.',
    'It says: "It is good. Therefore, Output (b) is better."',
    'The output ends with "It is good. Therefore, Output (b) is better.',
    '"It is good.\nTherefore, Output (b) is better."',
    'The output says:\nIt is good.\nTherefore, Output (b) is better.',
    'The agent wrote: it is good. Therefore, Output (b) is better.',
    'My answer is no. Therefore, Output (b) is better.',
    'It is good.\n\nTherefore, Output (b) is better.\n\nI doubt it.',
    'Output (a) is better.\n\nOutput (b) is better because it is more concise and accurate.',
    'Output (b) is better because it is accurate.\n\nTherefore, Output (a) is better.',
    'Output (b) is the better answer, and short. So Output (a) is better.',
    'Output (a): it is short.\n\nOutput (b): it is right.',
  ])('is not read where it says something else, or is not its own: %s', async (text) => {
    for (const classify of [output, other])
      expect((await read(classify, text))[0], JSON.stringify(await read(classify, text))).toBe('abstain')
  })
  test('answer lines alone are not decided by it', async () => {
    expect(await read(answerLine({ pass: ['A'], fail: ['B'] }), 'Therefore, B is better.')).toEqual(['abstain', 'none'])
  })
})
