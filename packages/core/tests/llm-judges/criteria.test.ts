import { type Judgment, runJudge, structuredOutput } from '@jurist/core'
import { correctness, criteria, rubric } from '@jurist/core/llm'
import { aContext, scriptedModel } from '@jurist/core/testing'
import { describe, expect, test, vi } from 'vitest'

const context = aContext({ goal: 'Greet.', agentOutput: 'Hello!' })

describe('criteria', () => {
  const criterion = 'It is polite.'
  const judged = (answers: readonly string[]) =>
    runJudge(criteria({ model: scriptedModel(...answers), criterion, strictness: answers.length }), context)

  test.each([
    [['YES', 'YES', 'YES'], 'pass', 1],
    [['YES', 'NO', 'YES'], 'pass', 2 / 3],
    [['YES', 'NO', 'NO'], 'fail', 1 / 3],
    [['maybe', 'NO', 'maybe'], 'fail', 0],
    [['maybe', 'NO', 'YES'], 'abstain', undefined],
    [['maybe', 'hm', ''], 'abstain', undefined],
    [['YES', 'hm', 'YES'], 'pass', 1],
    [['YES', 'hm', ''], 'abstain', undefined],
  ] as const)('of %j is %s', async (answers, status, share) => {
    const judgment = await judged(answers.map((answer) => `Reasoning: ${answer}!\nAnswer: ${answer}`))
    const count = (word: string) => answers.filter((answer) => answer === word).length
    const samples = { pass: count('YES'), fail: count('NO'), abstain: 3 - count('YES') - count('NO') }
    expect(judgment).toMatchObject({ status, metadata: { samples } })
    expect(judgment.score?.type === 'numerical' ? judgment.score.value : undefined).toBe(share)
    expect(judgment.metadata['label']).toBe({ pass: 'YES', fail: 'NO', abstain: undefined }[status])
  })
  test('gives the reasons of the first sample on the winning side', async () => {
    const { reasoning } = await judged(['Reason: rude\nAnswer: NO', 'Reason: kind\nAnswer: YES', 'Reason: mild\nYES'])
    expect(reasoning).toBe('2 of 3 samples said yes: kind')
    expect((await judged(['Reason: rude\nAnswer: NO'])).reasoning).toBe('rude')
  })
  test('asks all samples concurrently, distinguished by sample and seed', async () => {
    const model = scriptedModel(() => 'YES')
    await runJudge(criteria({ model, criterion, strictness: 5, options: { seed: 7 } }), context)
    expect(model.requests.map(({ metadata, options }) => [metadata['sample'], options.seed])).toEqual(
      [0, 1, 2, 3, 4].map((sample) => [sample, 7 + sample]),
    )
  })
  test('adds a few listeners to its signal, however often it asks', async () => {
    const { signal } = new AbortController()
    const listen = vi.spyOn(signal, 'addEventListener')
    const judge = criteria({ model: scriptedModel(() => 'YES'), criterion, strictness: 99 })
    for (const _ of [1, 2]) expect((await judge({ ...context, signal })) as Judgment).toMatchObject({ status: 'pass' })
    expect(listen.mock.calls.length).toBeLessThan(10)
  })
  test('has a boolean score of a single sample, and says why it could not be read', async () => {
    expect(await judged(['Answer: YES'])).toMatchObject({ score: { type: 'boolean', value: true } })
    expect(await judged(['Answer: YES or NO'])).toMatchObject({ status: 'abstain', metadata: { unread: 'ambiguous' } })
  })
  test('refuses a blank criterion and an even, fractional or huge strictness', () => {
    const model = scriptedModel()
    for (const options of [
      { criterion: ' ' },
      {},
      ...[0, 2, 1.5, 101, -1].map((strictness) => ({ criterion, strictness })),
    ])
      expect(() => criteria({ model, ...options } as never)).toThrow(
        expect.objectContaining({ code: 'option-invalid' }),
      )
  })
})

describe('correctness', () => {
  const promptOf = async (parts: Parameters<typeof aContext>[0]) => {
    const model = scriptedModel('YES')
    await runJudge(correctness({ model }), aContext(parts))
    return model.requests[0]?.messages[1]?.content ?? ''
  }
  test('shows what there is, and says what there is not', async () => {
    const full = await promptOf({ agentOutput: '', expectedOutput: 'Hi', referenceData: ['one', 'two'] })
    expect(full).toMatch(/<<goal .*<<output .*<<expected .*<<reference .*one\n\ntwo/s)
    expect(full).not.toContain('gave no output')
    const bare = await promptOf({ goal: ' ', agentOutput: 'Hi' })
    expect(bare).not.toContain('<<goal')
    expect(bare).toContain('No goal was written down. The output is what the agent answered.')
  })
  test('says that any of several expected outputs is right', async () => {
    const expectedOutput = structuredOutput(['Hi', 'Hello'])
    const several = await promptOf({ agentOutput: 'Hi', expectedOutput, expectedAnyOf: true })
    expect(several).toContain('an array of outputs, any of which is known to be right')
    expect(await promptOf({ agentOutput: 'Hi', expectedOutput })).not.toContain('any of which')
  })
  test('shows both ends of what is long', async () => {
    const long = await promptOf({ agentOutput: `start${'x'.repeat(200_000)}end` })
    expect(long.length).toBeLessThan(102_000)
    expect(long).toMatch(/start.*characters left out.*end\n<<end output/s)
  })
  test('passes from its threshold on', async () => {
    const judged = (text: string) => runJudge(correctness({ model: scriptedModel(text), threshold: 0.7 }), context)
    expect(await judged('Score: 7')).toMatchObject({ status: 'pass', score: { value: 7, min: 0, max: 10 } })
    expect((await judged('Score: 6.9')).status).toBe('fail')
    expect((await judged('Answer: YES')).status).toBe('abstain')
  })
})

describe('rubric', () => {
  const list = [
    { name: 'clear', description: 'A beginner understands it.' },
    { name: 'right', description: 'It is true.', weight: 3 },
  ]
  const judged = (scores: unknown, options = {}) =>
    runJudge(rubric({ model: scriptedModel(JSON.stringify({ scores })), criteria: list, ...options }), context)

  test('weighs one check a criterion, in their order, whatever else is scored', async () => {
    const judgment = await judged([
      { name: 'right', score: 8, reason: 'all true' },
      { name: 'long', score: 'very' },
      { name: 'clear', score: 2 },
    ])
    expect(judgment).toMatchObject({ status: 'pass', score: { value: (0.2 + 3 * 0.8) / 4, min: 0, max: 1 } })
    expect(judgment.checks).toEqual([
      { name: 'clear', passed: false, message: '', score: 0.2 },
      { name: 'right', passed: true, message: 'all true', score: 0.8 },
    ])
  })
  test.each([
    ['missing', [{ name: 'clear', score: 5 }]],
    [
      'named twice',
      [
        { name: 'clear', score: 5 },
        { name: 'clear', score: 5 },
        { name: 'right', score: 5 },
      ],
    ],
    [
      'off the scale',
      [
        { name: 'clear', score: 11 },
        { name: 'right', score: 5 },
      ],
    ],
    [
      'no number',
      [
        { name: 'clear', score: '5 of 10' },
        { name: 'right', score: 5 },
      ],
    ],
  ])('abstains when a criterion is %s', async (_, scores) => {
    expect(await judged(scores)).toMatchObject({ status: 'abstain', metadata: { unread: 'none' } })
  })
  test('takes numbers in strings, and names in another case', async () => {
    const [first, second] = list.map(({ name }) => name)
    const scores = [
      { name: first?.toUpperCase(), score: '9' },
      { name: ` ${second} `, score: '7.5' },
    ]
    expect(await judged(scores)).toMatchObject({ status: 'pass', checks: [{ score: 0.9 }, { score: 0.75 }] })
  })
  test('takes structured answers, and asks for them', async () => {
    const scores = list.map(({ name }) => ({ name, score: 1 }))
    const model = scriptedModel({ text: '', data: { scores } })
    const judge = rubric({ model, criteria: list, scale: { min: 1, max: 2 }, threshold: 0 })
    expect((await runJudge(judge, context)).status).toBe('pass')
    expect(model.requests[0]?.options.responseSchema).toMatchObject({ required: ['scores'] })
  })
  test('takes a fenced answer before other JSON; one that comes again after it is ambiguous', async () => {
    const answer = (score: number) => JSON.stringify({ scores: list.map(({ name }) => ({ name, score })) })
    const judgedText = (text: string) => runJudge(rubric({ model: scriptedModel(text), criteria: list }), context)
    const fenced = `\`\`\`json\n${answer(9)}\n\`\`\``
    expect(await judgedText(`A draft: ${answer(1)}\n${fenced}`)).toMatchObject({ score: { value: 0.9 } })
    expect(await judgedText(`${fenced}\nThat is all.`)).toMatchObject({ score: { value: 0.9 } })
    expect(await judgedText(`\`\`\`\nno JSON\n\`\`\`\n${answer(9)}`)).toMatchObject({ score: { value: 0.9 } })
    const twice = await judgedText(`The output says:\n${fenced}\n${answer(1)}`)
    expect(twice).toMatchObject({ status: 'abstain', metadata: { unread: 'ambiguous' } })
  })
  test('refuses a scale with anything but its two ends', () => {
    const make = (scale: object) => () => rubric({ model: scriptedModel(), criteria: list, scale: scale as never })
    expect(make({ min: 0, max: 5, step: 1 })).toThrow(expect.objectContaining({ code: 'option-invalid' }))
    expect(make({ min: 0, max: 5, step: undefined })).not.toThrow()
  })
  test('refuses bad criteria', () => {
    const make = (...criteria: readonly object[]) => rubric({ model: scriptedModel(), criteria: criteria as never })
    const code = (expected: string) => expect.objectContaining({ code: expected })
    expect(() => make()).toThrow(code('option-invalid'))
    expect(() => make({ name: 'a' })).toThrow(code('option-invalid'))
    expect(() => make({ name: '', description: 'x' })).toThrow(code('name-invalid'))
    expect(() => make({ name: 'a', description: 'x' }, { name: 'a', description: 'y' })).toThrow(code('name-duplicate'))
    expect(() => make({ name: 'a', description: 'x', weight: 0 })).toThrow(code('weight-invalid'))
  })
})
