import type { McpSession } from '@jurist/bridges/mcp'
import { mcpFixture } from '@jurist/bridges/mcp'
import type { Invocation, JournalEvent, Json } from '@jurist/core'
import { conversation } from '@jurist/core/conversation'
import { stepsOfExecutions } from '@jurist/core/internal'
import { describe, expect, test } from 'vitest'
import { callsIn, completed, run, type Shop, shopWith } from './shop.js'

const calling = (...calls: readonly (readonly [string, unknown?])[]) =>
  async function caller(session: McpSession<Shop>) {
    for (const [name, input] of calls) await session.call(name, input as never)
    return completed
  }

describe('a plain function that calls tools', () => {
  test('changes the state of its trial; what was seen is in the invocation', async () => {
    const agent = shopWith().agent(
      calling(['cancel_order', { order: 'A' }], ['cancel_order', { order: 'A' }], ['list_orders']),
    )
    const invocation = await run(agent)
    expect(invocation.metadata?.['mcp.state']).toEqual({ cancelled: ['A'] })
    expect(callsIn(invocation)).toEqual([
      ['cancel_order', 'completed', { ok: true }],
      ['cancel_order', 'failed', 'It is cancelled already.'],
      ['list_orders', 'completed', '1 cancelled'],
    ])
  })

  test('gets the tools with their schemas, and results as values', async () => {
    await run(
      shopWith().agent(async (session) => {
        expect(session.tools.map(({ name, input }) => [name, input['required']])).toEqual([
          ['cancel_order', ['order']],
          ['list_orders', undefined],
        ])
        expect(await session.call('cancel_order', { order: 'A' })).toMatchObject({
          status: 'completed',
          output: { ok: true },
        })
        expect(session.state()).toEqual({ cancelled: ['A'] })
        return completed
      }),
    )
  })

  test('its calls are in the journal', async () => {
    const events: JournalEvent[] = []
    await run(shopWith().agent(calling(['cancel_order', { order: 'A' }])), { record: (event) => events.push(event) })
    expect(events).toMatchObject([
      { type: 'tool-call', id: 'shop-1', name: 'cancel_order', input: { order: 'A' } },
      { type: 'tool-result', id: 'shop-1', failed: false, content: '{"ok":true}' },
    ])
  })

  test('other tools that it records stay, in their order, and calls know the model call that made them', async () => {
    const agent = shopWith().agent(({ call }) => async ({ record }) => {
      record?.({ type: 'model-call', model: 'm' })
      record?.({ type: 'tool-call', id: 'a', name: 'search', input: { for: 'A' } })
      record?.({ type: 'tool-result', id: 'a', failed: false, content: 'found' })
      record?.({ type: 'model-call', model: 'm', phase: 'turn 2' })
      // One that records a call of the fixture, too: it counts once.
      record?.({ type: 'tool-call', id: 'b', name: 'cancel_order', input: { order: 'A' } })
      await call('cancel_order', { order: 'A' })
      return { status: 'completed' }
    })
    const events: JournalEvent[] = []
    const invocation = await run(agent, { record: (event) => events.push(event) })
    expect(stepsOfExecutions(invocation.metadata?.['mcp.toolExecutions'])).toMatchObject([
      { name: 'search', status: 'completed', turn: 0 },
      { name: 'cancel_order', status: 'completed', turn: 1 },
    ])
    expect(invocation.metadata?.['mcp.toolExecutions']).toMatchObject([
      { name: 'search', step: 0, output: 'found' },
      { name: 'cancel_order', step: 1, output: { ok: true } },
    ])
    expect(events.at(-1)).toMatchObject({ type: 'tool-result', id: 'shop-1', phase: 'turn 2' })
  })

  test('in a conversation, its calls are in the turns that made them', async () => {
    const agent = shopWith().agent(({ call }) =>
      conversation(
        async ({ message, record }) => {
          record({ type: 'tool-call', id: message, name: 'search', input: {} })
          if (message !== 'Hello') await call('cancel_order', { order: message })
          return 'Done.'
        },
        { user: ['Hello', 'A', 'B'], history: [{ role: 'agent', text: 'Welcome.' }] },
      ),
    )
    const { turns = [], metadata } = await run(agent)
    expect(
      turns.map(({ role, steps = [] }) => [role, ...steps.map(({ name, input, status }) => [name, input, status])]),
    ).toEqual([
      ['agent'],
      ['user'],
      ['agent', ['search', {}, 'unfinished']],
      ['user'],
      ['agent', ['search', {}, 'unfinished'], ['cancel_order', { order: 'A' }, 'completed']],
      ['user'],
      ['agent', ['search', {}, 'unfinished'], ['cancel_order', { order: 'B' }, 'completed']],
    ])
    expect(metadata?.['mcp.state']).toEqual({ cancelled: ['A', 'B'] })
  })

  test.each<readonly [string, unknown]>([
    ['cancel_order', {}],
    ['cancel_order', { order: 1 }],
    ['cancel_order', { order: 'A', now: true }],
    ['cancel_order', []],
    ['cancel_order', { order: () => 1 }],
    ['cancel_order', JSON.parse('{"order":"A","__proto__":{"x":1}}')],
    ['list_orders', { page: 1 }],
    ['toString', {}],
    ['__proto__', {}],
    ['', {}],
  ])('%s with %j is an invalid call, and changes nothing', async (name, input) => {
    const invocation = await run(shopWith().agent(calling([name, input])))
    expect(callsIn(invocation)).toMatchObject([
      [name, 'invalid', expect.stringMatching(/^(Invalid input|There is no tool)/)],
    ])
    expect(invocation.metadata?.['mcp.state']).toEqual({ cancelled: [] })
  })
})

describe('the state', () => {
  test('is deeply frozen, and each of 50 trials at the same time has one of its own', async () => {
    const fixture = shopWith({ state: (task) => ({ cancelled: [task.prompt] }) })
    const agent = fixture.agent(async (session, { prompt }) => {
      expect(() => (session.state().cancelled as string[]).push('x')).toThrow(TypeError)
      await session.call('cancel_order', { order: `${prompt}!` })
      return completed
    })
    const prompts = Array.from({ length: 50 }, (_, index) => `trial ${index}`)
    const states = await Promise.all(
      prompts.map(async (prompt) => (await run(agent, { prompt })).metadata?.['mcp.state']),
    )
    expect(states).toEqual(prompts.map((prompt) => ({ cancelled: [prompt, `${prompt}!`] })))
  })

  test('calls run one after the other, so that none is lost', async () => {
    const agent = shopWith().agent(async ({ call }) => {
      await Promise.all(['A', 'B', 'C'].map((order) => call('cancel_order', { order })))
      return completed
    })
    expect((await run(agent)).metadata?.['mcp.state']).toEqual({ cancelled: ['A', 'B', 'C'] })
  })

  test('is that of the moment when the agent had to stop', async () => {
    const controller = new AbortController()
    const agent = shopWith().agent(async ({ call }) => {
      await call('cancel_order', { order: 'A' })
      controller.abort()
      expect(await call('cancel_order', { order: 'B' })).toMatchObject({
        status: 'failed',
        output: 'The trial is over.',
      })
      return completed
    })
    const invocation = await run(agent, { signal: controller.signal })
    expect(invocation.metadata?.['mcp.state']).toEqual({ cancelled: ['A'] })
    expect(callsIn(invocation)).toHaveLength(1)
  })

  test('counts for an agent that throws, too', async () => {
    const agent = shopWith().agent(async ({ call }) => {
      await call('cancel_order', { order: 'A' })
      throw new Error('boom')
    })
    expect(await run(agent)).toMatchObject({
      status: 'error',
      failure: { message: 'boom' },
      metadata: { 'mcp.state': { cancelled: ['A'] } },
    })
  })
})

describe('faults', () => {
  test('the planned call fails, before it changes anything; without a number every call does', async () => {
    const faults = [
      { tool: 'cancel_order', nth: 2, error: 'The service is down.' },
      { tool: 'list_orders', error: 'Forbidden.' },
    ]
    const orders = ['A', 'B', 'B'].map((order) => ['cancel_order', { order }] as const)
    const invocation = await run(shopWith({ faults }).agent(calling(...orders, ['list_orders'], ['list_orders'])))
    expect(callsIn(invocation).map(([, status, output]) => [status, output])).toEqual([
      ['completed', { ok: true }],
      ['failed', 'The service is down.'],
      ['completed', { ok: true }],
      ['failed', 'Forbidden.'],
      ['failed', 'Forbidden.'],
    ])
    expect(invocation.metadata?.['mcp.state']).toEqual({ cancelled: ['A', 'B'] })
  })
})

describe('limits', () => {
  test('calls above the limit are answered with an error and not kept', async () => {
    const orders = ['A', 'B', 'C'].map((order) => ['cancel_order', { order }] as const)
    const invocation = await run(shopWith({ maxCalls: 2 }).agent(calling(...orders)))
    expect(callsIn(invocation)).toHaveLength(2)
    expect(invocation.metadata?.['mcp.state']).toEqual({ cancelled: ['A', 'B'] })
  })

  test('a result that is too long is an error, and the state stays', async () => {
    const tools = {
      grow: { description: 'Grows.', run: () => ({ result: 'x'.repeat(99), state: { cancelled: ['x'] } }) },
    }
    const invocation = await run(shopWith({ tools, maxResultCharacters: 100 }).agent(calling(['grow'])))
    expect(callsIn(invocation)).toEqual([['grow', 'failed', 'The result has more than 100 characters.']])
    expect(invocation.metadata?.['mcp.state']).toEqual({ cancelled: [] })
  })
})

describe('a mistake of the fixture is not a fail of the agent', () => {
  const answers: readonly (readonly [string, () => unknown])[] = [
    ['throws', () => expect.unreachable('boom')],
    ['rejects', () => Promise.reject(new Error('boom'))],
    ['returns nothing', () => undefined],
    ['returns a bare value', () => 'done'],
    ['returns a result and an error', () => ({ result: 1, error: 'x' })],
    ['returns a result that is not JSON', () => ({ result: new Date(0) })],
    ['returns a state that is not JSON', () => ({ result: 1, state: { at: Number.NaN } })],
  ]
  test.each(answers)('a function that %s', async (_, answer) => {
    const tools = { broken: { description: 'Broken.', run: answer as () => { readonly error: string } } }
    const invocation = await run(shopWith({ tools }).agent(calling(['broken'])))
    expect(invocation).toMatchObject({ status: 'error', failure: { code: 'mcp-tool-broken' } })
    expect(invocation.failure?.message).toContain('"broken"')
    expect(callsIn(invocation)).toEqual([['broken', 'failed', 'The tool is broken.']])
  })

  test.each<readonly [string, object, string]>([
    ['no options', {}, 'name'],
    ['a name with a space', { name: 'my shop' }, 'name'],
    ['no tools', { tools: undefined }, 'tools'],
    ['a tool without a function', { tools: { a: { description: 'A' } } }, 'tools'],
    [
      'a misspelled part of a tool',
      { tools: { a: { description: 'A', run: () => ({ result: 1 }), inputs: {} } } },
      'tools',
    ],
    [
      'a name of a tool that no model may use',
      { tools: { 'a b': { description: 'A', run: () => ({ result: 1 }) } } },
      'tools',
    ],
    ['a fault that counts from 0', { faults: [{ tool: 'list_orders', nth: 0, error: 'x' }] }, 'faults'],
    ['a fault of a tool that is not there', { faults: [{ tool: 'refund', error: 'x' }] }, 'faults'],
    [
      'a schema with a keyword that is not checked',
      {
        tools: { a: { description: 'A', input: { properties: { b: { pattern: 'x' } } }, run: () => ({ result: 1 }) } },
      },
      'tools',
    ],
    ['an unknown option', { fault: [] }, 'fault'],
  ])('%s', (_, more, option) => {
    const make = () => (Object.keys(more).length === 0 ? mcpFixture({} as never) : shopWith(more))
    expect(make).toThrow(
      expect.objectContaining({ code: 'option-invalid', details: expect.objectContaining({ option }) }),
    )
  })

  test('a server where no command can run', async () => {
    const agent = shopWith().agent(async (session) => {
      await session.server()
      return expect.unreachable('the agent was started')
    })
    expect(await run(agent)).toMatchObject({ status: 'error', failure: { code: 'agent-start' } })
  })

  test('a state that is not JSON', () => {
    expect(() => mcpFixture({ name: 'a', tools: {}, state: new Map() })).toThrow(
      expect.objectContaining({ code: 'metadata-invalid' }),
    )
  })
})

describe('what an agent reports beside what was seen', () => {
  const report = (name: string, input: Json, status = 'completed', step = 0) => ({
    id: `r-${name}`,
    name,
    step,
    input,
    status,
  })
  const reporting = (...toolExecutions: readonly object[]) => ({
    status: 'completed' as const,
    metadata: { bridge: 'claude', 'claude.model': 'm', 'claude.toolExecutions': toolExecutions },
  })
  const both = async (invocation: Invocation) =>
    run(
      shopWith().agent(async ({ call }) => {
        await call('cancel_order', { order: 'A' })
        await call('list_orders')
        return async () => invocation
      }),
    )
  const seen = [
    ['cancel_order', 'completed'],
    ['list_orders', 'completed'],
  ]
  const order = { order: 'A' }

  test.each<readonly [string, readonly object[], readonly (readonly string[])[]]>([
    ['nothing', [], seen],
    ['Claude Code', [report('mcp__shop__cancel_order', order), report('mcp__shop__list_orders', {})], seen],
    ['Codex', [report('shop.cancel_order', order), report('shop.list_orders', {})], seen],
    ['bare names', [report('cancel_order', order), report('list_orders', {})], seen],
    [
      'kinds and no names',
      [
        { ...report('other', order), kind: 'other' },
        { ...report('read', { path: 'a' }), kind: 'read' },
      ],
      [
        ['cancel_order', 'completed'],
        ['read', 'completed'],
        ['list_orders', 'completed'],
      ],
    ],
    ['one call twice', [report('cancel_order', order), report('cancel_order', order)], seen],
    ['a call that never arrived', [report('mcp__shop__cancel_order', { order: 'Z' })], seen],
    ['a refused call', [report('mcp__shop__cancel_order', order, 'denied')], [['cancel_order', 'denied'], ...seen]],
    [
      'other tools between them',
      [report('Bash', {}), report('shop.cancel_order', order), report('Read', {}), report('shop.list_orders', {})],
      [
        ['Bash', 'completed'],
        ['cancel_order', 'completed'],
        ['Read', 'completed'],
        ['list_orders', 'completed'],
      ],
    ],
    [
      'a tool of another server',
      [report('mcp__other__cancel_order', order)],
      [['mcp__other__cancel_order', 'completed'], ...seen],
    ],
  ])('%s', async (_, reported, expected) => {
    const invocation = await both(reporting(...reported))
    expect(callsIn(invocation).map(([name, status]) => [name, status])).toEqual(expected)
    expect(invocation.metadata).toMatchObject({ bridge: 'claude', 'claude.model': 'm' })
  })
})
