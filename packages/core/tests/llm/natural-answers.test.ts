import { runJudge } from '@jurist/core'
import { correctness, gEval, type JudgeModel, pairwise, rubric } from '@jurist/core/llm'
import { hallucination } from '@jurist/core/rag'
import { aContext, scriptedModel } from '@jurist/core/testing'
import { expect, test } from 'vitest'

const context = aContext({ agentOutput: 'It is so.', expectedOutput: 'It is so!', referenceData: ['It is so.'] })
const judges = {
  answer: (model: JudgeModel) => correctness({ model, askAgain: 0 }),
  score: (model: JudgeModel) => gEval({ model, criteria: 'Is it warm?', steps: ['Read it.'], askAgain: 0 }),
  rubric: (model: JudgeModel) =>
    rubric({ model, criteria: [{ name: 'polite', description: 'It is polite.' }], askAgain: 0 }),
  pairwise: (model: JudgeModel) => pairwise({ model, swap: false, askAgain: 0 }),
  hallucination: (model: JudgeModel) => hallucination({ model, askAgain: 0 }),
}

/** What models write when they are asked for reasons and one last line, each with a habit of its own. All of them pass. */
const natural: readonly (readonly [form: keyof typeof judges, habit: string, text: string])[] = [
  [
    'answer',
    'as asked',
    'Reasoning: The reply names the author the goal asked for, and it matches the expected output.\n\nAnswer: YES',
  ],
  [
    'answer',
    'bold line',
    'Reasoning: The function is fixed and the tests it mentions cover the empty list.\n\n**Answer: YES**',
  ],
  [
    'answer',
    'bold label',
    '**Reasoning:** The agent did what was asked. It did not skip the second file.\n\n**Answer:** YES',
  ],
  ['answer', 'a period', 'Reasoning: The output states Paris, which is the capital of France.\nAnswer: YES.'],
  ['answer', 'lower case', 'reasoning: looks right to me, the total is 42 and that is what was expected\nanswer: yes'],
  ['answer', 'title case and exclamation mark', 'Reasoning: Everything the goal lists is there.\n\nAnswer: Yes!'],
  [
    'answer',
    'think block',
    '<think>\nOkay, the user wants me to judge. The goal is a summary. Could be NO if a point is missing. Let me check... no, all three points are there. So Answer: YES.\n</think>\n\nReasoning: All three points are in the summary.\n\nAnswer: YES',
  ],
  [
    'answer',
    'think block without its start',
    'The goal asks for a haiku. 5-7-5, yes.\nAnswer: NO? No, it fits.\n</think>\nReasoning: The poem has the form of a haiku.\nAnswer: YES',
  ],
  ['answer', 'code fence', '```\nReasoning: The command exits with 0, and the file exists.\nAnswer: YES\n```'],
  [
    'answer',
    'fence around the line only',
    'Reasoning: The command exits with 0, and the file exists.\n\n```text\nAnswer: YES\n```',
  ],
  [
    'answer',
    'a closing sentence',
    'Reasoning: The e-mail is polite and answers both questions.\n\nAnswer: YES\n\nLet me know if you would like me to go into more detail.',
  ],
  [
    'answer',
    'final answer',
    'Reasoning: Although the wording differs from the expected output, it means the same.\n\nFinal Answer: YES',
  ],
  [
    'answer',
    'headings',
    '## Reasoning\n\nThe goal was to rename the function; every call was renamed as well.\n\n## Answer: YES',
  ],
  [
    'answer',
    'heading, then the word',
    '### Reasoning\nThe output contains the requested table with no missing rows.\n\n### Answer\n**YES**',
  ],
  ['answer', 'quoted word', 'Reasoning: The output agrees with the expected output.\nAnswer: "YES"'],
  [
    'answer',
    'list of reasons',
    'Reasoning:\n- The goal asks for three colours.\n- The output lists red, green and blue.\n- Nothing else is required.\n\nAnswer: YES',
  ],
  ['answer', 'windows lines, trailing space', 'Reasoning: The date is correct.\r\n\r\nAnswer: YES  \r\n'],
  ['answer', 'check mark', 'Reasoning: The refund was issued as requested.\n\nAnswer: YES ✅'],
  [
    'answer',
    'the first word repeated at the end',
    'Answer: YES\n\nReasoning: The goal was met: the file was created with the requested content.\n\nAnswer: YES',
  ],
  [
    'score',
    'score with a denominator',
    'Reasoning: Clear, short, and it greets by name. A little stiff.\n\n**Score: 8/10**',
  ],
  [
    'score',
    'score after thinking',
    '<think>Perhaps 6? The tone is warmer than that. Score: 6 would be harsh.</think>Reasoning: The tone is warm throughout.\nScore: 9',
  ],
  [
    'rubric',
    'fenced JSON with a sentence before it',
    'Here is my evaluation:\n\n```json\n{\n  "scores": [\n    { "name": "polite", "reason": "It greets and thanks.", "score": 9 }\n  ]\n}\n```',
  ],
  [
    'pairwise',
    'which of two',
    'Reasoning: Both are correct. A explains why the first step matters, which B leaves out, so A serves the goal better.\n\nAnswer: **A**',
  ],
  [
    'hallucination',
    'nothing unsupported',
    'Reasoning: Each of the two sentences is stated in the context.\n\nUnsupported:\n- None\n\nAnswer: YES',
  ],
]

test.each(natural)('%s, %s', async (form, _, text) => {
  expect((await runJudge(judges[form](scriptedModel(text)), context)).status).toBe('pass')
})

test('reasons of one’s own after an answer that comes first are asked about once more', async () => {
  const text = 'Answer: YES\n\nReasoning: The goal was met: the file was created with the requested content.'
  expect(await runJudge(judges.answer(scriptedModel(text)), context)).toMatchObject({
    status: 'abstain',
    metadata: { unread: 'ambiguous' },
  })
  const asked = await runJudge(correctness({ model: scriptedModel(text, 'Answer: YES') }), context)
  expect(asked).toMatchObject({ status: 'pass', metadata: { askedAgain: 1 } })
})
