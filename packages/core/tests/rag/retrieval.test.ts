import { type ContextInput, runJudge, structuredOutput } from '@jurist/core'
import { answerRelevance, contextPrecision, contextRecall, ragKeys } from '@jurist/core/rag'
import { aContext, scriptedModel } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'

const whole = {
  goal: 'Who wrote it?',
  agentOutput: 'Ada wrote it.',
  expectedOutput: 'Ada wrote it in 1843.',
  referenceData: ['Ada wrote it.', 'It rains.', 'It was in 1843.', 'Bob helped.'],
} satisfies ContextInput

const scripted = (...replies: readonly unknown[]) => scriptedModel(...replies.map((reply) => JSON.stringify(reply)))
const say = (entry: string, word: string, ...answers: readonly string[]) => ({
  verdicts: answers.map((answer, index) => ({ [entry]: index + 1, [word]: answer })),
})

describe('contextPrecision', () => {
  const judged = (answers: readonly string[], context: ContextInput = whole, options = {}) => {
    const model = scripted(say('source', 'useful', ...answers))
    return runJudge(contextPrecision({ model, askAgain: 0, ...options }), aContext(context))
  }
  // Average precision by hand: the mean of the precision at each useful rank.
  test.each<readonly [readonly string[], number]>([
    [['yes', 'yes', 'yes', 'yes'], 1],
    [['yes', 'no', 'yes', 'no'], (1 + 2 / 3) / 2],
    [['no', 'yes', 'no', 'no'], 1 / 2],
    [['no', 'no', 'yes', 'yes'], (1 / 3 + 2 / 4) / 2],
    [['no', 'no', 'no', 'yes'], 1 / 4],
    [['no', 'no', 'no', 'no'], 0],
    [['unclear', 'yes', 'unclear', 'unclear'], 1 / 2],
  ])('%j is %f', async (answers, score) => {
    const judgment = await judged(answers)
    expect(judgment).toMatchObject({ status: score >= 0.5 ? 'pass' : 'fail', metadata: { sources: 4 } })
    expect(judgment.score).toMatchObject({ value: expect.closeTo(score, 12) })
    expect(judgment.checks.map(({ passed }) => passed)).toEqual(answers.map((answer) => answer === 'yes'))
  })
  test('a useful text that was retrieved again and again counts once', async () => {
    const referenceData = ['It rains.', ...Array.from({ length: 9 }, () => 'Ada wrote it.')]
    expect(await judged(['no', 'yes'], { ...whole, referenceData })).toMatchObject({ score: { value: 0.5 } })
  })
  test('texts are numbered, each in one line', async () => {
    const model = scripted(say('source', 'useful', 'yes'))
    const metadata = { [ragKeys.context]: [{ pageContent: 'one\n2. two' }] }
    await runJudge(contextPrecision({ model }), aContext({ ...whole, metadata }))
    expect(model.requests[0]?.messages[1]?.content).toContain('>>\n1. one 2. two\n<<end sources')
  })
  test.each([[['yes', 'yes']], [['yes', 'yes', 'yes', 'yes', 'yes']], [['yes', 'yes', 'yes', 'maybe']]])(
    'abstains when not every text has its verdict: %j',
    async (answers) => expect((await judged(answers)).metadata).toMatchObject({ unread: 'none' }),
  )
})

describe('contextRecall', () => {
  const judged = (claims: readonly string[], answers: readonly string[], context: ContextInput = whole) => {
    const model = scripted({ claims }, say('claim', 'supported', ...answers))
    return runJudge(contextRecall({ model, askAgain: 0 }), aContext(context)).then((judgment) => ({ judgment, model }))
  }
  test('is the share of the expected claims that were retrieved', async () => {
    const { judgment, model } = await judged(['Ada wrote it.', 'It was in 1843.'], ['yes', 'no'])
    expect(judgment).toMatchObject({ status: 'fail', score: { value: 0.5 }, metadata: { claims: 2, supported: 1 } })
    const [first] = model.requests.map(({ messages }) => messages[1]?.content ?? '')
    expect(first).toContain('Ada wrote it in 1843.')
    expect((await judged(['Ada wrote it.'], ['yes'])).judgment.status).toBe('pass')
  })
  test('does not read what the agent answered', async () => {
    const { judgment, model } = await judged(['Ada wrote it.'], ['yes'], { ...whole, agentOutput: 'IGNORE' })
    expect(judgment.status).toBe('pass')
    expect(JSON.stringify(model.requests)).not.toContain('IGNORE')
  })
  test('abstains when the expected output claims nothing, or not every claim has its verdict', async () => {
    expect((await judged([], [])).judgment.status).toBe('abstain')
    expect((await judged(['a', 'b'], ['yes'])).judgment.status).toBe('abstain')
  })
  test('takes the first of several expected answers', async () => {
    const several = { ...whole, expectedOutput: structuredOutput(['Ada.', 'Lovelace.']), expectedAnyOf: true } as const
    const { model } = await judged(['Ada.'], ['yes'], several)
    expect(model.requests[0]?.messages[1]?.content).not.toContain('Lovelace')
  })
})

describe('answerRelevance', () => {
  const judged = (claims: readonly string[], answers: readonly string[], options = {}) => {
    const model = scripted({ claims }, say('statement', 'relevant', ...answers))
    return runJudge(answerRelevance({ model, askAgain: 0, ...options }), aContext(whole))
  }
  test('is the share of statements that help to answer', async () => {
    expect(await judged(['a', 'b', 'c'], ['yes', 'no', 'no'])).toMatchObject({
      status: 'fail',
      score: { value: 1 / 3 },
      metadata: { claims: 3, relevant: 1 },
    })
    expect((await judged(['a', 'b'], ['yes', 'no'])).status).toBe('pass')
    expect((await judged(['a', 'b'], ['yes', 'no'], { threshold: 1 })).status).toBe('fail')
  })
  test('an answer that states nothing fails: it must not be undecided by its own choice', async () => {
    expect(await judged([], [])).toMatchObject({ status: 'fail', score: { value: 0 } })
  })
  test('abstains unless every statement has its verdict', async () => {
    expect((await judged(['a', 'b'], ['yes'])).status).toBe('abstain')
  })
})

test('what the dataset lacks is an abstention, without a call', async () => {
  const model = scriptedModel()
  const { expectedOutput: _, ...unexpected } = whole
  const { referenceData: __, ...nothing } = whole
  for (const judge of [contextPrecision({ model }), contextRecall({ model })])
    for (const context of [unexpected, nothing, { ...whole, expectedOutput: ' ' }, { ...whole, referenceData: [' '] }])
      expect((await runJudge(judge, aContext(context))).status).toBe('abstain')
  expect((await runJudge(answerRelevance({ model }), aContext({ ...whole, goal: '' }))).status).toBe('abstain')
  expect(model.requests).toEqual([])
})
