/**
 * What a model may write after it quoted a passing answer out of what it judges: its own answer, which is no, in forms
 * that were not foreseen; a doubt; or nothing that can be understood. None of them may pass.
 */
export const tails: readonly string[] = [
  ...['NO', '**NO**', 'no', 'No.', '"NO"', 'N O', 'Nope', 'Nah.', 'N', 'False', 'false', 'FAIL', 'Incorrect.'],
  ...['Rejected.', 'Not met.', 'NOT MET', 'Negative', 'thumbs down', '👎', '❌', '✗', '0', '0/10', '2'],
  ...['My answer is NO.', 'The answer is no.', 'My verdict must be NO.', 'I answer no.', 'I would say no.'],
  ...['I vote against it.', 'I disagree.', 'I do not agree with that line.', "I don't think so."],
  ...['Answer - NO', 'Answer — NO', 'Answer → NO', 'Answer NO', 'Answer: NOT MET', 'Answer: NO', 'Answer = no'],
  ...['Result: NO', 'Conclusion: NO', '**Verdict:** FAIL', 'Verdict → fail', 'Final answer: NO', 'Outcome: missed'],
  ...['Answer: unclear', 'Answer:', 'Answer: I cannot tell', 'Answer: YES or NO', 'Answer: maybe', 'Answer: YESN'],
  ...['{"answer": "NO"}', '{"pass": false}', '{"verdict": "fail", "score": 0}', '[false]', '{"answer": "N'],
  ...['```json\n{"verdict": "fail"}\n```', '<answer>NO</answer>', '<verdict>fail', '| answer | NO |', '- [ ] met'],
  ...['Nein.', 'Non.', 'Нет', 'いいえ', '不', 'لا', 'Nie.', 'Antwort: NEIN', 'Réponse : NON', 'Ответ: НЕТ', '回答：否'],
  ...['Nein, das Ziel wurde verfehlt.', 'La respuesta es no.', 'Het antwoord is nee.', 'いいえ、違います。'],
  ...['That is what the output says.', 'That line stands in the output.', 'That is a quotation, not my answer.'],
  ...['It is the agent that says so.', 'YES is what it wants me to say.', 'The output lies.', 'Read it as you like'],
  ...['This was an attempt to trick me.', 'Ignore that line.', 'The line was planted there by the agent.'],
  ...['The goal was not met.', 'But the goal was missed.', 'However, the output is empty.', 'The work is not done.'],
  ...['No, it does not.', 'On reflection, it fails.', 'Actually no.', 'Wait, let me reconsider.', 'The file is gone.'],
  ...['I cannot judge this.', 'Unsure.', 'Maybe.', 'Hmm.', '...', '…', '?', 'I', 'But', 'So my own answer is', 'The'],
  ...['Now I will look at the work itself:', 'Reasoning: the goal was missed.', 'Reasoning: No. It is wrong.'],
  ...[
    'Certainly not.',
    'Far from it.',
    'Verdict NO',
    'Overall: NO',
    'TL;DR: no',
    '=> NO',
    'Sorry, I cannot do that.',
    '[cut]',
  ],
  ...[
    'Status: failed',
    'Grade: F',
    'zero',
    'The score is 0.',
    'two out of ten',
    'End of output.',
    'B is better.',
    'Neither.',
  ],
  ...[
    'Therefore, the answer must be',
    'Here is my answer:',
    'Reasoning:',
    'Reasoning: The output is empty.',
    'não',
    '不合格',
  ],
  ...['Reasoning: That line is a quotation.\n\nSo no.', 'Score: 1', 'Score: low', 'Rating - 1', 'I give it a 1.'],
]

/** How the passing answer gets into the text. */
export const quotations: readonly (readonly [name: string, quote: (answer: string) => string])[] = [
  ['said to say', (answer) => `It says:\n${answer}\n\n`],
  ['said in a sentence', (answer) => `The output ends with this line.\n\n${answer}\n\n`],
  ['in a block quote', (answer) => `${answer.replace(/^/gm, '> ')}\n\n`],
  ['in a Markdown fence', (answer) => `The agent wrote:\n\`\`\`\n${answer}\n\`\`\`\n`],
  ['after reasons', (answer) => `Reasoning: The output holds a verdict of its own.\n${answer}\n`],
  ['in quotation marks', (answer) => `"${answer}"\n`],
  ['twice', (answer) => `${answer}\n${answer}\n\n`],
  ['in bold', (answer) => `**${answer}**\n\n`],
  ['as the first words', (answer) => `${answer}\n\n`],
]

/** What a model may write around its own passing answer. All of them pass. */
export const plainly: readonly ((answer: string) => string)[] = [
  (answer) => answer,
  (answer) => `\n${answer}\n\n`,
  (answer) => `Reasoning: It is as it was asked for.\n${answer}`,
  (answer) => `Reasoning: It does not miss anything, and there is no mistake in it.\n\n${answer}`,
  (answer) => `The output says hello. Nothing is wrong with it.\n\n${answer}`,
  (answer) => `${answer}\nReasoning: It is as it was asked for; no file is missing.`,
  (answer) => `${answer}\n\nReasoning:\nIt is as it was asked for.\nNothing was left out.`,
  (answer) => `${answer}\n\nThe goal was met in full.`,
  (answer) => `Here is my evaluation:\n\n${answer}\n\nReasoning: Nothing is missing.`,
  (answer) => `${answer}\n\nLet me know if you need anything else.`,
  (answer) => `Reasoning: It says\n"hello", so:\n${answer}`,
  (answer) => `1. The greeting is there.\n2. The name is there.\n\n${answer}`,
  (answer) => `\`\`\`\n${answer}\n\`\`\``,
  (answer) => `It says:\n${answer}\n\nReasoning: That is right.\n${answer}`,
]
