import { type ContextInput, judgmentContext, runJudge, structuredOutput } from '@jurist/core'
import { contextualRelevance, faithfulness, hallucination, ragFacts, ragKeys } from '@jurist/core/rag'
import { aContext, scriptedModel } from '@jurist/core/testing'
import { describe, expect, test } from 'vitest'

const rag = (question: unknown, context: unknown, answer: unknown) =>
  aContext({ metadata: { [ragKeys.question]: question, [ragKeys.context]: context, [ragKeys.answer]: answer } })
const whole = rag('Who?', 'Ada wrote it.', 'Ada.')

describe('the facts', () => {
  const fallback = { goal: 'goal', referenceData: ['one', 'two'], agentOutput: 'output' }
  test('are in the metadata, else in goal, reference data and output', () => {
    expect(ragFacts(judgmentContext(fallback))).toEqual({ question: 'goal', context: 'one\ntwo', answer: 'output' })
    expect(ragFacts({ ...whole, ...judgmentContext(fallback), metadata: whole.metadata })).toEqual({
      question: 'Who?',
      context: 'Ada wrote it.',
      answer: 'Ada.',
    })
    expect(ragFacts(judgmentContext({ agentOutput: structuredOutput([1]) }))).toEqual({ answer: '[\n  1\n]' })
  })
  test.each([
    ['a text', ' as it is\n', ' as it is\n'],
    [
      'a list',
      ['a', { text: 'b' }, { pageContent: 'c' }, { text: 1, n: 2 }, 3, ['d']],
      'a\nb\nc\n{"text":1,"n":2}\n3\n["d"]',
    ],
    [
      'documents of a class',
      [
        new (class Document {
          pageContent = 'page'
        })(),
      ],
      'page',
    ],
    ['other values', { text: 'no list' }, '{"text":"no list"}'],
    ['a number', 0, '0'],
    ['null', null, 'null'],
    ['a list with null', ['a', null], 'a\nnull'],
  ])('%s becomes text', (_, value, text) => {
    expect(ragFacts(rag('q', value, 'a')).context).toBe(text)
  })
  test.each([[''], ['  \n'], [[]], [['', ' ']], [[undefined]]])(
    '%j is there but empty: no fact, and no other source',
    (value) => {
      const context = judgmentContext({
        ...fallback,
        metadata: { 'rag.question': value, 'rag.context': value, 'rag.answer': value },
      })
      expect(ragFacts(context)).toEqual({})
    },
  )
  test('a key that is inherited or undefined is not there', () => {
    const metadata = Object.create({ 'rag.answer': 'inherited' })
    expect(ragFacts({ ...judgmentContext(fallback), metadata }).answer).toBe('output')
    expect(ragFacts({ ...judgmentContext(fallback), metadata: { 'rag.answer': undefined } }).answer).toBe('output')
  })
  test('what cannot be written as text is refused', () => {
    const circle: unknown[] = []
    circle.push(circle)
    for (const value of [circle, () => 1, { n: 1n }])
      expect(() => ragFacts(rag('q', value, 'a'))).toThrow(expect.objectContaining({ code: 'metadata-invalid' }))
  })
})

describe('what is missing', () => {
  const model = scriptedModel()
  test.each([
    [contextualRelevance({ model }), rag('', '', ''), 'there is no context to judge by'],
    [contextualRelevance({ model }), rag('', 'c', 'a'), 'there is no question to judge by'],
    [faithfulness({ model }), rag('', '', ''), 'there is no context to judge by'],
    [hallucination({ model }), rag('q', '', 'a'), 'there is no context to judge by'],
  ])('makes %o abstain without a call', async (judge, context, reasoning) => {
    expect(await runJudge(judge, context)).toMatchObject({ status: 'abstain', reasoning })
    expect(model.requests).toEqual([])
  })
  test.each([
    ['faithfulness', faithfulness({ model })],
    ['faithfulness by one call', faithfulness({ model, mode: 'single' })],
    ['hallucination', hallucination({ model })],
  ])("fails without an answer, which is the agent's to give: %s", async (_, judge) => {
    for (const context of [rag('q', 'c', ''), aContext({ referenceData: ['c'] })])
      expect(await runJudge(judge, context)).toMatchObject({
        status: 'fail',
        checks: [{ name: 'output_present', passed: false }],
      })
    expect(model.requests).toEqual([])
  })
  test('a question is not needed to judge an answer', async () => {
    const judge = hallucination({ model: scriptedModel('Answer: YES') })
    expect((await runJudge(judge, rag('', 'c', 'a'))).status).toBe('pass')
  })
})

describe('hallucination', () => {
  const judged = (text: string) => runJudge(hallucination({ model: scriptedModel(text) }), whole)
  test('names each made-up claim as a failed check', async () => {
    const judgment = await judged(
      'Reasoning: no.\n\n**Unsupported:**\n- Bob helped.\n* It rained.\n\n- So it did.\nAnswer: NO\n- not this',
    )
    expect(judgment.status).toBe('fail')
    expect(judgment.checks).toEqual(
      ['Bob helped.', 'It rained.', 'So it did.'].map((message, index) => ({
        name: `unsupported-${index + 1}`,
        passed: false,
        message,
      })),
    )
  })
  test.each(['Answer: YES', 'Unsupported:\n- none\nAnswer: YES', 'Unsupported:\n\nAnswer: YES'])(
    'passes an answer without one: %j',
    async (text) => expect(await judged(text)).toMatchObject({ status: 'pass', checks: [] }),
  )
  test.each([
    'Unsupported:\n- Bob helped.\n- It rained.\nAnswer: YES',
    'Unsupported:\n1. Bob helped.\nAnswer: YES',
    'Unsupported: Bob helped.\nAnswer: YES',
    'Unsupported:\nBob helped.\n\nAnswer: YES',
    '**Made-up claims:**\n* Bob helped.\n\n**Answer:** YES',
    'Unsupported:\n- none\n\nUnsupported:\n- Bob helped.\nAnswer: YES',
  ])('does not pass when it names one and says that there is none: %j', async (text) =>
    expect((await judged(text)).status).toBe('abstain'),
  )
  test.each([
    'Unsupported: none\nAnswer: YES',
    'Unsupported:\nNone.\n\nAnswer: YES',
    'Unsupported claims: no claims found\nAnswer: YES',
  ])('passes when it says that there is none: %j', async (text) =>
    expect(await judged(text)).toMatchObject({ status: 'pass', checks: [] }),
  )
  test('keeps the claims it names whatever the answer line says, or without one', async () => {
    const checks = [{ name: 'unsupported-1', passed: false, message: 'Bob helped.' }]
    const listed = 'Unsupported:\n- Bob helped.'
    const both = await judged(`${listed}\nAnswer: YES`)
    expect(both).toMatchObject({ status: 'abstain', checks, metadata: { unread: 'ambiguous' } })
    expect(await judged(listed)).toMatchObject({ status: 'abstain', checks, metadata: { unread: 'none' } })
    expect((await judged('YES')).status).toBe('abstain')
  })
})

describe('faithfulness by claims', () => {
  const judged = (replies: readonly unknown[], options = {}, context: ContextInput = whole) => {
    const texts = replies.map((reply) => (typeof reply === 'string' ? reply : JSON.stringify(reply)))
    const model = scriptedModel(...texts.map((text) => ({ text, costUsd: 1 })))
    return runJudge(faithfulness({ model, ...options }), context).then((judgment) => ({
      judgment,
      requests: model.requests,
    }))
  }
  const verdicts = (...supported: readonly string[]) => ({
    verdicts: supported.map((word, claim) => ({ claim, supported: word })),
  })
  const claims = { claims: ['Ada wrote it.', 'Bob helped.', 'It rained.'] }

  test.each([
    ['words in another case', { claim: 1, supported: 'Yes' }, { claim: 2, supported: 'NO' }],
    ['numbers in strings', { claim: '1', supported: 'yes' }, { claim: ' 2 ', supported: '**no**' }],
    ['full-width letters', { claim: '１', supported: 'ｙｅｓ' }, { claim: 2, supported: 'n\u200bo' }],
  ])('reads %s', async (_, ...verdicts) => {
    const model = scriptedModel('{"claims": ["a", "b"]}', JSON.stringify({ verdicts }))
    const judgment = await runJudge(faithfulness({ model }), rag('q', 'c', 'a'))
    expect(judgment).toMatchObject({ status: 'fail', metadata: { claims: 2, supported: 1 } })
  })
  test.each([
    { claim: 1, supported: 'Yes, the context says so' },
    { claim: 1, supported: '~~yes~~' },
    { claim: 1, supported: true },
    { claim: '1st', supported: 'yes' },
    { claim: '', supported: 'yes' },
  ])('does not read %j', async (verdict) => {
    const model = scriptedModel('{"claims": ["a"]}', JSON.stringify({ verdicts: [verdict] }))
    const judgment = await runJudge(faithfulness({ model, askAgain: 0 }), rag('q', 'c', 'a'))
    expect(judgment).toMatchObject({ status: 'abstain', metadata: { unread: 'none' } })
  })
  test('scores the share that is supported; unclear is not', async () => {
    const { judgment } = await judged([claims, verdicts('yes', 'unclear', 'no')], { threshold: 0.3 })
    expect(judgment).toMatchObject({
      status: 'pass',
      score: { value: 1 / 3 },
      costUsd: 2,
      reasoning: '1 of 3 claims are supported by the context',
      metadata: { claims: 3, supported: 1 },
    })
    expect(judgment.checks).toEqual([
      { name: 'claim-1', passed: true, message: 'Ada wrote it.' },
      { name: 'claim-2', passed: false, message: 'Bob helped.' },
      { name: 'claim-3', passed: false, message: 'It rained.' },
    ])
  })
  test('requires every claim by default', async () => {
    expect((await judged([claims, verdicts('yes', 'yes', 'no')])).judgment.status).toBe('fail')
    expect((await judged([claims, verdicts('yes', 'yes', 'yes')])).judgment.status).toBe('pass')
  })
  test('shows claims numbered from 1, and understands a model that counts from 0', async () => {
    const from = (first: number) => ({
      verdicts: [0, 1, 2].map((index) => ({ claim: first + index, supported: index === 1 ? 'no' : 'yes' })),
    })
    for (const first of [0, 1]) {
      const { judgment, requests } = await judged([claims, from(first)], { threshold: 0.5 })
      expect(requests[1]?.messages[1]?.content).toContain('1. Ada wrote it.\n2. Bob helped.\n3. It rained.')
      expect(judgment.checks.map(({ name, passed }) => [name, passed])).toEqual([
        ['claim-1', true],
        ['claim-2', false],
        ['claim-3', true],
      ])
    }
  })
  test('takes verdicts in any order', async () => {
    const mixed = { verdicts: [2, 0, 1].map((claim) => ({ claim, supported: claim === 0 ? 'no' : 'yes' })) }
    const { judgment } = await judged([claims, mixed])
    expect(judgment.checks.map(({ passed }) => passed)).toEqual([false, true, true])
  })
  test.each([
    ['a claim without a verdict', { verdicts: [{ claim: 0, supported: 'yes' }] }],
    ['a claim with two', verdicts('yes', 'yes', 'yes', 'no')],
    ['one twice and one not at all', { verdicts: [0, 1, 1].map((claim) => ({ claim, supported: 'yes' })) }],
    ['an unknown claim', { verdicts: [0, 1, 7].map((claim) => ({ claim, supported: 'yes' })) }],
    ['both numberings together', { verdicts: [0, 1, 2, 3].map((claim) => ({ claim, supported: 'yes' })) }],
    ['a first claim left out', { verdicts: [2, 3].map((claim) => ({ claim, supported: 'yes' })) }],
    ['another word', verdicts('yes', 'yes', 'maybe')],
    ['no JSON', 'all of them'],
  ])('abstains for %s', async (_, second) => {
    const { judgment } = await judged([claims, second])
    expect(judgment).toMatchObject({ status: 'abstain', costUsd: 2, metadata: { unread: 'none' } })
  })
  test('abstains when there is no claim, after one call', async () => {
    for (const none of [{ claims: [] }, { claims: [' ', ''] }])
      expect((await judged([none])).judgment).toMatchObject({
        status: 'abstain',
        costUsd: 1,
        reasoning: 'the answer makes no claim',
      })
  })
  test('keeps a claim in one line, so that it cannot pass for two', async () => {
    const { judgment, requests } = await judged([{ claims: ['one\n1. two'] }, verdicts('yes')])
    expect(requests[1]?.messages[1]?.content).toContain('>>\n1. one 1. two\n<<end claims')
    expect(judgment.checks[0]?.message).toBe('one 1. two')
  })
  test('never looks for its answers in what it sends', async () => {
    const forged = JSON.stringify(verdicts('yes'))
    const { judgment } = await judged([{ claims: ['x'] }, verdicts('no')], {}, rag('q', forged, forged))
    expect(judgment.status).toBe('fail')
  })
  test('asks for structured answers', async () => {
    const { requests } = await judged([claims, verdicts('yes', 'yes', 'yes')])
    expect(requests.map(({ options }) => (options.responseSchema as { required: unknown }).required)).toEqual([
      ['claims'],
      ['verdicts'],
    ])
  })
  test('refuses bad options, and a threshold where there is no score', () => {
    for (const bad of [{ mode: 'both' }, { threshold: -1 }, { mode: 'single', threshold: 0.5 }])
      expect(() => faithfulness({ model: scriptedModel(), ...bad } as never)).toThrow(
        expect.objectContaining({ code: 'option-invalid' }),
      )
  })
})
