import { fail, type JsonObject, pass, runJudge } from '@jurist/core'
import type { Classify, StandardSchema } from '@jurist/core/llm'
import { agentJudge, answerLine, json, labels, matched, passFail, scoreLine } from '@jurist/core/llm'
import { aContext, memoryWorkspace, scriptedModel } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'
import { everyModelJudge } from './every-judge.js'
import { halfhearted, plainly, quotations, tails } from './tails.js'

const context = aContext({
  turns: [
    { role: 'user', text: 'Greet.' },
    { role: 'agent', text: 'Hello!' },
  ],
  toolSteps: [{ name: 'look', input: {}, output: 'It is so.', status: 'completed', turn: 0 }],
  goal: 'Say what it is.',
  agentOutput: 'It is so.',
  expectedOutput: 'It is so!',
  referenceData: ['It is so.'],
  workspace: memoryWorkspace({ 'a.txt': 'b' }),
  before: memoryWorkspace({ 'a.txt': 'a' }),
})

const anything: StandardSchema = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) },
}
const classifiers: readonly (readonly [name: string, answer: string, classify: Classify])[] = [
  ['passFail', 'PASS', passFail()],
  ['passFail of yes and no', 'Answer: YES', passFail('YES', 'NO')],
  ['answerLine', 'Answer: YES', answerLine()],
  ['labels', 'Verdict: good', labels({ pass: ['good'], fail: ['poor'], abstain: ['unclear'] })],
  ['labels in brackets', 'Output (a)', labels({ pass: ['Output (a)'], fail: ['Output (b)'] })],
  ['labels in double brackets', 'Verdict: [[A]]', labels({ pass: ['[[A]]'], fail: ['[[B]]'] })],
  ['matched', 'My final verdict is: [[A]]', matched(/\[\[(.+?)\]\]/, { A: 'pass', B: 'fail', C: 'abstain' })],
  ['scoreLine', 'Score: 9', scoreLine({ passingAt: 0.5 })],
  [
    'json',
    '{"pass": true}',
    json(anything, (value) => ((value as { pass?: unknown }).pass === true ? pass('it does') : fail('it does not'))),
  ],
]

test('the corpus is large enough', () => {
  expect(new Set(tails).size).toBeGreaterThanOrEqual(60)
  expect(quotations.length * tails.length * (everyModelJudge.length + classifiers.length + 1)).toBeGreaterThan(10_000)
})

/** What passes of the given texts, named by the quotation and the tail: nothing may. */
async function passing(
  statusOf: (text: (answer: string) => string) => Promise<string>,
  isMet: (quotation: number, tail: number) => boolean = () => true,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const [at, [name, quote]] of quotations.entries())
    for (const [index, tail] of tails.entries())
      if (isMet(at, index) && (await statusOf((answer) => quote(answer) + tail)) === 'pass')
        found.push(`${name}: ${tail}`)
  return found
}

/** The steps of an evaluation are no answer about the output. */
const isAnswer = (text: string) => !text.startsWith('1. ')

describe.each(everyModelJudge.map((judge, index) => ({ ...judge, index })))(
  '$name',
  ({ index, make, passing: answers }) => {
    const judged = async (write: (answer: string) => string) => {
      const written = answers.map((answer) => (isAnswer(answer) ? write(answer) : answer))
      return (await runJudge(make({ model: scriptedModel(...written) }), context)).status
    }
    // Judges read answers by the classifiers below, which meet every tail after every quotation; each judge meets another ninth.
    test('a passing answer that is quoted never passes', async () => {
      expect(await passing(judged, (quotation, tail) => (quotation + tail + index) % 9 === 0)).toEqual([])
    })
    test('a passing answer passes, however it is written', async () => {
      for (const write of plainly) expect(await judged(write), write('…')).toBe('pass')
    })
  },
)

describe.each(classifiers)('%s', (_, answer, classify) => {
  test('a passing answer that is quoted never passes', async () => {
    const judged = async (write: (answer: string) => string) =>
      (await classify({ text: write(answer) }, context)).status
    expect(await passing(judged)).toEqual([])
  })
  test('a passing answer that is not meant never passes', async () => {
    for (const write of halfhearted) {
      const { status } = await classify({ text: write(answer) }, context)
      expect(status, write(answer)).not.toBe('pass')
    }
  })
  test('a passing answer passes, however it is written', async () => {
    for (const write of plainly)
      expect((await classify({ text: write(answer) }, context)).status, write('…')).toBe('pass')
  })
})

describe('an agent that judges', () => {
  const answer = 'PASS: true\nSCORE: 9\nREASONING: It is as it was asked for.'
  const judged = async (text: string, threshold?: number) => {
    const agent = () => ({ status: 'completed', output: { type: 'text', text } }) as const
    const options = { agent, criteria: 'It is right.', threshold }
    return (await runJudge(agentJudge(options), context)).status
  }
  test.each([undefined, 0.5])(
    'a passing answer that is quoted never passes, with the threshold %s',
    async (threshold) => {
      expect(await passing((write) => judged(write(answer), threshold))).toEqual([])
    },
  )
  test('a passing answer passes, however it is written', async () => {
    for (const write of plainly) expect(await judged(write(answer)), write('…')).toBe('pass')
    expect(await judged(`I looked at each file.\n\n${answer} No test was weakened.`)).toBe('pass')
    expect(await judged('PASS: true\nSCORE: 9\nREASONING: The test that was broken is mended.')).toBe('pass')
  })
  test('a score that does not go with a pass makes it abstain', async () => {
    expect(await judged('PASS: true\nSCORE: 2\nREASONING: It is as it was asked for.')).toBe('abstain')
    expect(await judged('PASS: true\nSCORE: 9\nSCORE: 1')).toBe('abstain')
  })
})

describe('a block of reasoning that the server has left in the text', () => {
  const draft = (answer: string) => answer.replace(/\b(?:YES|A|a|true|PASS|good|9)\b/u, (word) => drafts[word] ?? word)
  const drafts: { readonly [word: string]: string } = {
    YES: 'NO',
    a: 'b',
    A: 'B',
    true: 'false',
    PASS: 'FAIL',
    good: 'poor',
    9: '2',
  }
  const blocks: readonly ((text: string) => string)[] = [
    ...['think', 'thinking', 'reasoning', 'THINK'].map((tag) => (text: string) => `<${tag}>\n${text}\n</${tag}>\n\n`),
    (text) => `[THINK]${text}[/THINK]`,
    (text) => `◁think▷${text}◁/think▷`,
    (text) => `<|channel|>analysis<|message|>${text}<|end|><|start|>assistant<|channel|>final<|message|>`,
    (text) => `\n<think></think><think>It has <think>blocks</think>. ${text}</think>`,
  ]
  test.each(classifiers)('%s: is no part of the answer', async (_, answer, classify) => {
    const statusOf = async (text: string) => (await classify({ text }, context)).status
    for (const block of blocks) {
      expect(await statusOf(block(`First idea:\n${draft(answer)}\nNo, better.`) + answer)).toBe('pass')
      expect(await statusOf(block(`First idea:\n${answer}\nNo, worse.`) + draft(answer))).not.toBe('pass')
    }
    expect(await statusOf(`Hm.\nLet me see.\n</think>\n\n${answer}`)).toBe('pass')
    expect(await statusOf(`${answer}<|im_end|>`)).toBe('pass')
    expect(await statusOf(`[Reasoning]\nIt is as it was asked for.\n\n${answer}`)).toBe('pass')
  })
  test.each(classifiers)('%s: an answer that is cut off in it abstains', async (_, answer, classify) => {
    for (const start of [
      '<think>',
      '<thinking>\nThe goal is met, so\n',
      '[THINK]',
      '<think>It <think>says</think> and ',
      '\u200b<think>\n',
      'Sure.\n<think>\nIt is met, so\n',
    ])
      expect(await classify({ text: `${start}\n${answer}` }, context)).toMatchObject({
        status: 'abstain',
        metadata: { unread: 'none' },
      })
  })
  test.each(classifiers)(
    '%s: a mark that is quoted after another answer hides nothing',
    async (_, answer, classify) => {
      for (const before of [`${draft(answer)}\n\nIt says\n`, 'It ends with:\n', `> ${answer}\n`]) {
        const { status } = await classify({ text: `${before}</think>\n${answer}\n\nI see.` }, context)
        expect(status, before).not.toBe('pass')
      }
      expect((await classify({ text: `${draft(answer)}\n\nIt says\n</think>\n${answer}` }, context)).status).not.toBe(
        'pass',
      )
    },
  )
  test('judges read what follows it, and the marks of nothing else', async () => {
    for (const { make, passing: answers } of everyModelJudge) {
      const model = scriptedModel(...answers.map((text) => `<think>\n- Or no.\nScore: 4\n</think>\n${text}`))
      expect((await runJudge(make({ model }), context)).status).toBe('pass')
      const cut = scriptedModel(...answers.flatMap((text) => [`<think>\n${text}`, `<think>\n${text}`]))
      expect((await runJudge(make({ model: cut, askAgain: 0 }), context)).status).toBe('abstain')
    }
    const output = { type: 'text', text: '<think>PASS: false</think>\nREASONING: It holds.\nPASS: true' } as const
    const judge = agentJudge({ agent: () => ({ status: 'completed', output }), criteria: 'It is right.' })
    expect((await runJudge(judge, context)).status).toBe('pass')
  })
})

describe('an answer that was cut off', () => {
  test.each([
    [{ finishReason: 'length' }],
    [{ truncated: true }],
    [{ 'ai-sdk.finishReason': 'length' }],
    [{ 'langchain.truncated': true }],
    [{ finish_reason: 'MAX_TOKENS' }],
    [{ stop_reason: 'max_tokens' }],
  ])('%j abstains', async (metadata) => {
    for (const [, text, classify] of classifiers)
      expect(await classify({ text, metadata }, context)).toMatchObject({
        status: 'abstain',
        metadata: { unread: 'none' },
      })
    for (const { make, passing: answers } of everyModelJudge) {
      const model = scriptedModel(...answers.map((text) => ({ text, metadata })))
      expect((await runJudge(make({ model }), context)).status).toBe('abstain')
    }
  })
  test('one that ended by itself does not', async () => {
    for (const metadata of [
      { finishReason: 'stop' },
      { truncated: false },
      { stop_reason: 'end_turn' },
    ] as JsonObject[])
      for (const [, text, classify] of classifiers)
        expect((await classify({ text, metadata }, context)).status).toBe('pass')
  })
})
