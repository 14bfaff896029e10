import { abstain, type ContextInput, error, fail, outputText, pass, runJudge, type Turn } from '@jurist/core'
import {
  atEnd,
  conversationCriteria,
  everyTurn,
  goalReached,
  keepsRole,
  notAsked,
  relevantTurns,
  remembers,
} from '@jurist/core/conversation'
import { criteria } from '@jurist/core/llm'
import { scriptedModel } from '@jurist/core/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

const talk = (...texts: readonly string[]): ContextInput => ({
  goal: 'the task',
  turns: texts.map((text, index) => ({ role: index % 2 === 0 ? 'user' : 'agent', text }) as const),
})
const shown = (model: ReturnType<typeof scriptedModel>) =>
  model.requests.map(({ messages }) => messages.map(({ content }) => content).join('\n'))

describe('everyTurn', () => {
  const polite = outputText({ contains: 'please' })

  it('scores the share of the turns, with its number and its interval', async () => {
    const judgment = await runJudge(everyTurn(polite), talk('a', 'please', 'b', 'now!', 'c', 'please wait'))
    expect(judgment).toMatchObject({
      status: 'fail',
      score: { value: 2 / 3 },
      checks: [
        { name: 'turn-2', passed: true },
        { name: 'turn-4', passed: false },
        { name: 'turn-6', passed: true },
      ],
      metadata: { turns: 3, passed: 2, interval: { level: 0.95, method: 'wilson' } },
    })
    // Wilson for 2 of 3, as R's binom.confint gives it.
    const { interval } = judgment.metadata as { readonly interval: { readonly low: number; readonly high: number } }
    expect(interval.low).toBeCloseTo(0.2077, 4)
    expect(interval.high).toBeCloseTo(0.9385, 4)
  })

  it.each<[string, Parameters<typeof everyTurn>[1], string]>([
    ['every turn by default', {}, 'fail'],
    ['a share of them', { threshold: 0.5 }, 'pass'],
    ['the turns of the user', { role: 'user' }, 'fail'],
  ])('wants %s', async (_, options, status) => {
    const judgment = await runJudge(everyTurn(polite, options), talk('a', 'please', 'b', 'now!'))
    expect(judgment.status).toBe(status)
  })

  it('shows a judge the turn, what the user said before it, and the conversation so far', async () => {
    const seen: unknown[] = []
    const watching = ({ goal, agentOutput, turns = [] }: ContextInput) => {
      seen.push([goal, agentOutput, turns.length])
      return true
    }
    await runJudge(everyTurn(watching), talk('a', 'b', 'c', 'd'))
    expect(seen).toEqual([
      ['a', { type: 'text', text: 'b' }, 2],
      ['c', { type: 'text', text: 'd' }, 4],
    ])
  })

  it('does not judge the history', async () => {
    const turns: readonly Turn[] = [
      { role: 'user', text: 'a', isHistory: true },
      { role: 'agent', text: 'rude', isHistory: true },
      { role: 'user', text: 'b' },
      { role: 'agent', text: 'please' },
    ]
    expect(await runJudge(everyTurn(polite), { turns })).toMatchObject({
      status: 'pass',
      checks: [{ name: 'turn-4' }],
      metadata: { turns: 1 },
    })
  })

  it.each([
    ['no conversation abstains', undefined, 'abstain'],
    ['an agent that said nothing fails', [{ role: 'user', text: 'a' }], 'fail'],
    [
      'an empty message is silence, and fails',
      [
        { role: 'user', text: 'a' },
        { role: 'agent', text: ' ' },
      ],
      'fail',
    ],
  ])('%s', async (_, turns, status) => {
    const context = turns === undefined ? {} : { turns: turns as readonly Turn[] }
    expect((await runJudge(everyTurn(polite), context)).status).toBe(status)
  })

  it('an error at one turn is an error, an abstention does not count', async () => {
    const answers = [pass('yes'), abstain('unclear'), fail('no')]
    let next = 0
    const some = everyTurn(() => answers[next++] ?? error('broken'))
    expect(await runJudge(some, talk('a', 'b', 'c', 'd', 'e', 'f'))).toMatchObject({
      status: 'fail',
      score: { value: 0.5 },
      metadata: { turns: 2, abstained: 1 },
    })
    expect(await runJudge(some, talk('a', 'b'))).toMatchObject({ status: 'error', reasoning: 'turn 2: broken' })
    expect(
      (
        await runJudge(
          everyTurn(() => abstain('unclear')),
          talk('a', 'b'),
        )
      ).status,
    ).toBe('abstain')
  })

  it('adds up what the calls of a model cost', async () => {
    const model = scriptedModel(() => ({ text: 'Answer: YES', costUsd: 0.5, usage: { inputTokens: 2 } }))
    const judge = everyTurn(criteria({ model, criterion: 'It is polite.' }))
    expect(await runJudge(judge, talk('a', 'b', 'c', 'd'))).toMatchObject({ costUsd: 1, usage: { inputTokens: 4 } })
  })

  it('any share of turns is the share of its checks, and lies in its interval', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }), async (turns) => {
        const context = talk(...turns.flatMap((good) => ['a', good ? 'please' : 'now']))
        const { score, metadata } = await runJudge(everyTurn(polite), context)
        const { interval, passed } = metadata as {
          readonly interval: { low: number; high: number }
          readonly passed: number
        }
        expect(score).toMatchObject({ value: turns.filter(Boolean).length / turns.length })
        expect(passed).toBe(turns.filter(Boolean).length)
        expect(interval.low).toBeLessThanOrEqual(passed / turns.length)
        expect(interval.high).toBeGreaterThanOrEqual(passed / turns.length)
      }),
    )
  })
})

describe('atEnd', () => {
  it.each([
    [talk('a', 'no', 'b', 'done'), 'pass'],
    [talk('a', 'done', 'b', 'no'), 'fail'],
    [talk('a', 'done', 'b'), 'pass'],
    [talk('a'), 'fail'],
    [{}, 'abstain'],
  ])('judges the last message of the agent: %j', async (context, status) => {
    expect((await runJudge(atEnd(outputText({ contains: 'done' })), context)).status).toBe(status)
  })
})

describe('judges of turns by a model', () => {
  const verdicts = (...holds: readonly string[]) =>
    JSON.stringify({
      verdicts: holds.map((held, index) => ({ turn: (index + 1) * 2, holds: held, why: `for ${held}` })),
    })

  it('score the share of the turns, by one call for each window', async () => {
    const model = scriptedModel(
      '{"verdicts": [{"turn": 2, "holds": "yes", "why": ""}, {"turn": 4, "holds": "yes", "why": ""}]}',
      '{"verdicts": [{"turn": 6, "holds": "no", "why": "off topic"}]}',
    )
    const judgment = await runJudge(
      relevantTurns({ model, window: 2, threshold: 0.6 }),
      talk('a', 'b', 'c', 'd', 'e', 'f'),
    )
    expect(judgment).toMatchObject({
      status: 'pass',
      metadata: { turns: 3, passed: 2 },
      checks: [{ passed: true }, { passed: true }, { name: 'turn-6', passed: false, message: 'off topic' }],
    })
    const [first = '', second = ''] = shown(model)
    expect(first).toContain('Messages: 2, 4.')
    expect(first).not.toContain('<<turn-6-agent')
    expect(second).toContain('<<turn-6-agent')
  })

  it.each([
    ['too few verdicts', verdicts('yes')],
    ['a verdict twice', '{"verdicts": [{"turn": 2, "holds": "yes"}, {"turn": 2, "holds": "no"}]}'],
    ['an invalid turn', '{"verdicts": [{"turn": 2, "holds": "yes"}, {"turn": 9, "holds": "yes"}]}'],
    ['no JSON', 'They are all fine.'],
    ['another word', verdicts('yes', 'maybe')],
  ])('abstain for %s', async (_, text) => {
    const model = scriptedModel(text, text)
    expect((await runJudge(relevantTurns({ model }), talk('a', 'b', 'c', 'd'))).status).toBe('abstain')
  })

  it.each([
    ['keepsRole', (model: ReturnType<typeof scriptedModel>) => keepsRole({ model, role: 'A clerk.' }), 'A clerk.'],
    ['notAsked', (model: ReturnType<typeof scriptedModel>) => notAsked({ model, what: 'a PIN' }), 'a PIN'],
    ['relevantTurns', (model: ReturnType<typeof scriptedModel>) => relevantTurns({ model }), 'relevant'],
  ])('%s asks for it', async (_, make, words) => {
    const model = scriptedModel(verdicts('yes'))
    expect((await runJudge(make(model), talk('a', 'b'))).status).toBe('pass')
    expect(shown(model)[0]).toContain(words)
  })

  it('goalReached asks for the goal of the scenario, else for the task', async () => {
    const model = scriptedModel(() => 'Answer: YES')
    await runJudge(goalReached({ model }), talk('a', 'b'))
    await runJudge(goalReached({ model }), { ...talk('a', 'b'), metadata: { scenario: { goal: 'a refund' } } })
    await runJudge(goalReached({ model, goal: 'a lamp' }), talk('a', 'b'))
    expect(shown(model).map((text) => /<<goal \w+>>\n(.*)/.exec(text)?.[1])).toEqual(['the task', 'a refund', 'a lamp'])
  })

  it('conversationCriteria shows every message by its number', async () => {
    const model = scriptedModel('Answer: NO')
    const judgment = await runJudge(conversationCriteria({ model, criterion: 'It asks first.' }), talk('a', 'b', 'c'))
    expect(judgment.status).toBe('fail')
    expect([...(shown(model)[0] ?? '').matchAll(/<<(turn-\S+)/g)].map(([, name]) => name)).toEqual([
      'turn-1-user',
      'turn-2-agent',
      'turn-3-user',
    ])
  })

  it('remembers counts the facts that were said', async () => {
    const kept = ['yes', 'asked-again', 'never-said', 'contradicted']
    const answer = JSON.stringify({ facts: kept.map((word, index) => ({ fact: index + 1, kept: word, why: word })) })
    const scenario = { goal: 'g', facts: ['one', 'two', 'three', 'four'] }
    const context = { ...talk('a', 'b'), metadata: { scenario } }
    expect(await runJudge(remembers({ model: scriptedModel(answer) }), context)).toMatchObject({
      status: 'fail',
      metadata: { facts: 3, passed: 1 },
      checks: [{ name: 'fact-1', passed: true }, { name: 'fact-2' }, { name: 'fact-4', message: 'four: contradicted' }],
    })
    expect((await runJudge(remembers({ model: scriptedModel() }), talk('a', 'b'))).status).toBe('abstain')
  })

  it('a long conversation is cut in the middle, with a mark', async () => {
    const model = scriptedModel('Answer: YES')
    const long = Array.from({ length: 100 }, (_, index) => `${index} ${'x'.repeat(5_000)}`)
    await runJudge(conversationCriteria({ model, criterion: 'c' }), talk(...long))
    const [prompt = ''] = shown(model)
    expect(prompt.length).toBeLessThan(110_000)
    expect(prompt).toMatch(/\[\.\.\. messages 3 to \d+ left out \.\.\.\]/)
    expect(prompt).toContain('<<turn-100-agent')
    expect(prompt).toContain('<<turn-1-user')
    expect(prompt).toContain('characters left out')
  })

  it.each([
    ['no role', () => keepsRole({ model: scriptedModel() } as never), '"role"'],
    ['no model', () => goalReached({} as never), '"model"'],
    ['no judge', () => everyTurn(undefined as never), 'everyTurn'],
    ['a bad share', () => everyTurn(() => true, { threshold: 2 }), '"threshold"'],
    ['a typo', () => relevantTurns({ model: scriptedModel(), windows: 2 } as never), '"windows"'],
  ])('%s is refused', (_, make, message) => {
    expect(make).toThrow(message)
  })
})
