import type { AgentTask, Turn } from '@jurist/core'
import {
  type ConversationSession,
  conversation,
  replayUser,
  type SimulatedUser,
  scriptedUser,
} from '@jurist/core/conversation'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aTask, held, said } from './support.js'

describe('a conversation', () => {
  it('goes on until the script is over; the output is the last message of the agent', async () => {
    const found = await held(({ message }) => `You said ${message}`, { user: ['one', 'two'] })
    expect(found.status).toBe('completed')
    expect(said(found)).toEqual(['user: one', 'agent: You said one', 'user: two', 'agent: You said two'])
    expect(found.output).toEqual({ type: 'text', text: 'You said two' })
    expect(found.user).toEqual({ ended: 'satisfied', faults: [], audited: true })
  })

  it('gives the agent what was said, the message, and the state that it left', async () => {
    const sessions: ConversationSession[] = []
    const agent = (session: ConversationSession) => {
      sessions.push(session)
      return { text: 'ok', state: { count: sessions.length } }
    }
    const history: readonly Turn[] = [
      { role: 'user', text: 'Hi' },
      { role: 'agent', text: 'Hello' },
    ]
    const found = await held(agent, { user: ['one', 'two'], history })
    expect(sessions.map(({ state }) => state)).toEqual([null, { count: 1 }])
    expect(sessions.map(({ turns }) => turns.map(({ text }) => text))).toEqual([
      ['Hi', 'Hello'],
      ['Hi', 'Hello', 'one', 'ok'],
    ])
    expect(sessions.map(({ message }) => message)).toEqual(['one', 'two'])
    expect(found.turns?.map(({ isHistory }) => isHistory === true)).toEqual([true, true, false, false, false, false])
    expect(sessions[0]).not.toHaveProperty('scenario')
  })

  it.each([
    ['a string', 'fine'],
    ['nothing', undefined],
  ])('may be ended by the agent, whose answer %s keeps the state', async (_, state) => {
    const found = await held(({ turns }) => ({ text: 'Bye', ends: turns.length >= 2, ...(state && { state }) }), {
      user: ['one', 'two', 'three'],
    })
    expect(found.user?.ended).toBe('agent')
    expect(found.turns).toHaveLength(4)
  })

  it('ends at maxTurns: a user that thinks and does not stop is not at fault, since an agent may stall', async () => {
    let asked = 0
    const user = () => ({ message: `Please do it, for the ${++asked}. time` })
    const found = await held(() => 'One moment.', { user, maxTurns: 3 })
    expect(found.user).toEqual({ ended: 'max-turns', faults: [], audited: true })
    expect(asked).toBe(3)
  })

  it('keeps what agent and user cost apart', async () => {
    const moves = [
      { message: 'one', costUsd: 0.5, usage: { inputTokens: 7 } },
      { stop: 'gave-up', costUsd: 0.25 },
    ] as const
    let next = 0
    const found = await held(() => ({ text: 'no', costUsd: 2, usage: { outputTokens: 3 } }), {
      user: () => moves[next++] ?? { stop: 'satisfied' },
    })
    expect(found).toMatchObject({ costUsd: 2, usage: { outputTokens: 3 } })
    expect(found.user).toMatchObject({ ended: 'gave-up', costUsd: 0.75, usage: { inputTokens: 7 } })
  })

  it('notes each message while it goes on, and the cost of an agent that notes nothing itself', async () => {
    const task = aTask()
    const agent = ({ message, record }: ConversationSession) => {
      if (message === 'two') record({ type: 'tool-call', id: '1', name: 'look', input: {} })
      return { text: 'ok', costUsd: 1 }
    }
    await held(agent, { user: ['one', 'two'] }, task)
    expect(task.events.map(({ type, phase }) => `${phase} ${type}`)).toEqual([
      'turn 1 prompt',
      'turn 1 model-call',
      'turn 1 text',
      'turn 2 prompt',
      'turn 2 tool-call',
      'turn 2 text',
    ])
  })

  it('sends the messages of an item that has its own, whatever list is the default', async () => {
    const user = ['one', 'two']
    const scenario = { goal: 'buy', messages: ['mine'] }
    expect(said(await held(() => 'ok', { user }, aTask({ metadata: { scenario } })))).toEqual([
      'user: mine',
      'agent: ok',
    ])
  })

  it('is named for its agent', () => {
    expect(
      conversation(
        function shop() {
          return 'hi'
        },
        { user: ['one'] },
      ).name,
    ).toBe('shop')
    expect(conversation(() => 'hi', { user: ['one'] }).name).toBe('conversation')
  })
})

describe('who is to blame', () => {
  it('what the agent throws is its own failure; what was said stays', async () => {
    const found = await held(
      ({ message }) => {
        if (message === 'two') throw new Error('out of stock')
        return 'ok'
      },
      { user: ['one', 'two'] },
    )
    expect(found).toMatchObject({ status: 'error', failure: { message: 'out of stock' } })
    expect(found.failure?.infrastructure).toBeUndefined()
    expect(said(found)).toEqual(['user: one', 'agent: ok', 'user: two'])
  })

  it('what the user throws is a failure of the infrastructure', async () => {
    const user = () => {
      throw Object.assign(new Error('quota'), { code: 'rate-limited' })
    }
    const found = await held(() => 'ok', { user })
    expect(found).toMatchObject({ status: 'error', failure: { code: 'rate-limited', infrastructure: true } })
    expect(found.failure?.message).toContain('The user of the conversation failed at its message 1: quota')
  })

  it.each([{}, undefined, null, 'hello', { stop: 'yes' }, { message: 7 }])(
    'so is an invalid move: %j',
    async (move) => {
      const found = await held(() => 'ok', { user: () => move as never })
      expect(found.failure?.infrastructure).toBe(true)
    },
  )

  it.each([undefined, 7, {}, { text: 7 }])('an invalid answer is a fault of the agent: %j', async (answer) => {
    const found = await held(() => answer as never, { user: ['one'] })
    expect(found).toMatchObject({ status: 'error', failure: { message: expect.stringContaining('{ text }') } })
    expect(found.failure?.infrastructure).toBeUndefined()
  })

  it('an abort cancels, whichever side is working', async () => {
    const controller = new AbortController()
    const agent = () => {
      controller.abort()
      return new Promise<string>(() => {})
    }
    const found = await held(agent, { user: ['one'] }, aTask({ signal: controller.signal }))
    expect(found).toMatchObject({ status: 'cancelled', turns: [{ role: 'user', text: 'one' }] })
    expect(found.user?.faults).toEqual([])
  })

  it('an invalid scenario is a fault of the user: the agent is not called', async () => {
    const task = aTask({ metadata: { scenario: { gaol: 'typo' } } })
    const found = await held(() => 'ok', { user: ['one'] }, task)
    expect(found).toMatchObject({ status: 'completed', turns: [], user: { ended: 'user-fault' } })
    expect(found.user?.faults).toMatchObject([{ name: 'scenario-invalid', message: expect.stringContaining('"gaol"') }])
  })
})

/** The scenario that a user gets. */
async function scenarioSeen(task: AgentTask): Promise<unknown> {
  let seen: unknown
  const user: SimulatedUser = (_, scenario) => {
    seen = scenario
    return { stop: 'satisfied' }
  }
  await held(() => 'ok', { user }, task)
  return seen
}

describe('users', () => {
  it('the opening of the scenario comes first', async () => {
    const task = aTask({ metadata: { scenario: { goal: 'a', opening: 'Good day', messages: ['one'] } } })
    expect(said(await held(() => 'ok', { user: scriptedUser() }, task))).toEqual([
      'user: Good day',
      'agent: ok',
      'user: one',
      'agent: ok',
    ])
  })

  it('columns of the item are a scenario too; facts in one cell are one a line', async () => {
    const task = Object.assign(aTask(), { input: { goal: 'a', facts: 'b\nc', opening: '', city: 'Paris' } })
    expect(await scenarioSeen(task)).toEqual({ goal: 'a', facts: ['b', 'c'] })
  })

  it('without a scenario the task is the goal', async () => {
    expect(await scenarioSeen(aTask())).toEqual({ goal: 'Cancel order 7.' })
  })

  it('a recorded conversation is replayed with its end', async () => {
    const first = await held(() => 'no', {
      user: (turns) => (turns.length === 0 ? { message: 'one' } : { stop: 'gave-up' }),
    })
    const again = await held(() => 'yes', { user: replayUser(first) })
    expect(said(again)).toEqual(['user: one', 'agent: yes'])
    expect(again.user?.ended).toBe('gave-up')
  })

  it.each([
    ['no agent', () => conversation(undefined as never, { user: ['a'] }), 'the agent must be a function'],
    ['no user', () => conversation(() => '', {} as never), '"user" must be a user or an array of messages'],
    ['an empty script', () => conversation(() => '', { user: [] }), 'a non-empty array of strings'],
    ['a long script', () => conversation(() => '', { user: ['a', 'b'], maxTurns: 1 }), 'the script has 2 messages'],
    ['no turns', () => conversation(() => '', { user: ['a'], maxTurns: 0 }), 'an integer of at least 1'],
    [
      'a bad history',
      () => conversation(() => '', { user: ['a'], history: [{ role: 'bot' }] as never }),
      'array of turns',
    ],
    ['an empty recording', () => replayUser([]), 'no message of a user'],
    ['a typo', () => conversation(() => '', { user: ['a'], turns: 3 } as never), 'unknown option "turns"'],
  ])('%s is refused', (_, make, message) => {
    expect(make).toThrow(message)
  })
})

describe('the account of the turns', () => {
  const script = fc.array(
    fc.record({ text: fc.string({ minLength: 1 }), cost: fc.option(fc.nat(9), { nil: undefined }) }),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  it('turns alternate, the user begins, nothing is lost, and each side pays its own', async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.integer({ min: 1, max: 12 }), fc.nat(12), async (lines, maxTurns, endsAfter) => {
        let next = 0
        const user = () => {
          const line = lines[next++]
          const cost = line?.cost === undefined ? {} : { costUsd: line.cost }
          return line === undefined ? { stop: 'satisfied' as const } : { message: `m${line.text}`, ...cost }
        }
        const agent = ({ turns }: ConversationSession) => ({
          text: 'ok',
          costUsd: 0.5,
          ends: turns.length / 2 + 1 === endsAfter,
        })
        const { turns = [], costUsd, user: part } = await held(agent, { user, maxTurns })
        const expected = Math.min(lines.length, maxTurns, endsAfter === 0 ? lines.length : endsAfter)
        expect(turns.map(({ role }) => role)).toEqual(
          Array.from({ length: expected * 2 }, (_, index) => (index % 2 === 0 ? 'user' : 'agent')),
        )
        expect(costUsd).toBe(expected * 0.5)
        const spent = lines.slice(0, expected).flatMap(({ cost }) => (cost === undefined ? [] : [cost]))
        expect(part?.costUsd).toBe(spent.length === 0 ? undefined : spent.reduce((sum, cost) => sum + cost, 0))
      }),
    )
  })
})
