import { runJudge, type ToolStep } from '@jurist/core'
import { aContext } from '@jurist/core/testing'
import { type ExpectedCall, toolCalls } from '@jurist/core/tools'
import { describe, expect, test } from 'vitest'

type ToolCallsOptions = NonNullable<Parameters<typeof toolCalls>[0]>

const step = (name: string, input: ToolStep['input'] = {}, status: ToolStep['status'] = 'completed'): ToolStep => ({
  name,
  input,
  status,
  turn: 0,
})
const judged = (options: ToolCallsOptions | undefined, toolSteps: readonly ToolStep[] | undefined, metadata = {}) =>
  runJudge(toolCalls(options), aContext({ ...(toolSteps && { toolSteps }), metadata }))
const statusOf = async (options: ToolCallsOptions, toolSteps: readonly ToolStep[]) =>
  (await judged(options, toolSteps)).status

describe('the trajectories of agentevals 0.0.7, with its verdicts', () => {
  const [sf, sanFrancisco, london] = ['SF', 'San Francisco', 'London'].map((city) => ({
    name: 'get_weather',
    input: { city },
  }))
  const other = { name: 'accuweather_forecast', input: { city: 'San Francisco' } }
  const flight = { name: 'fetch_user_flight_information', input: {} }
  const modes = {
    strict: { order: 'exact' },
    unordered: { order: 'any' },
    superset: { order: 'any', extra: 'allowed' },
    subset: { order: 'any' },
  } as const
  type Verdicts = readonly [strict: boolean, unordered: boolean, superset: boolean, subset: boolean]
  type Call = ExpectedCall | undefined
  // One verdict is another one: calls of one message in another order are not the same list.
  const rows: readonly (readonly [
    name: string,
    made: readonly Call[],
    expected: readonly Call[],
    Verdicts,
    ToolCallsOptions?,
  ])[] = [
    ['the same call', [sanFrancisco], [sanFrancisco], [true, true, true, true]],
    ['calls of one message in another order', [sf, london], [london, sf], [false, true, true, true]],
    ['calls of several messages in another order', [sf, london], [london, sf], [false, true, true, true]],
    ['fewer calls', [sf], [london, sf], [false, false, false, true]],
    ['another tool', [sf], [other], [false, false, false, false]],
    ['more calls', [sanFrancisco, london], [sanFrancisco], [false, false, true, false]],
    ['the same call of LangChain messages', [sanFrancisco], [sanFrancisco], [true, true, true, true]],
    ['another tool of LangChain messages', [sf], [other], [false, false, false, false]],
    ['other arguments', [sf], [sanFrancisco], [false, false, false, false]],
    ['other arguments, ignored', [sf], [sanFrancisco], [true, true, true, true], { inputs: 'ignore' }],
    [
      'an override for one tool',
      [flight, sf],
      [sanFrancisco],
      [false, false, true, false],
      { inputs: { get_weather: 'ignore' } },
    ],
    [
      'a rule for one tool',
      [sf],
      [sf],
      [true, true, true, true],
      { inputs: { get_weather: { contains: { city: 'SF' } } } },
    ],
    [
      'more arguments than expected',
      [{ name: 'a', input: { x: 1, y: 2 } }],
      [{ name: 'a', input: { x: 1 } }],
      [true, true, true, true],
      { inputs: 'contains' },
    ],
    ['the same tools twice', [sf, sf], [sf], [false, false, true, false]],
  ]
  test.each(rows.map((row) => ({ name: row[0], row })))('$name', async ({ row }) => {
    const [, made, expected, verdicts, more = {}] = row
    const steps = made.map((call) => step(call?.name ?? '', (call?.input ?? {}) as ToolStep['input']))
    const wanted = expected.filter((call) => call !== undefined)
    const found = await Promise.all(
      Object.entries(modes).map(([mode, options]) =>
        statusOf(
          { ...options, ...more, expected: wanted.map((call) => ({ ...call, optional: mode === 'subset' })) },
          steps,
        ),
      ),
    )
    expect(found).toEqual(verdicts.map((passes) => (passes ? 'pass' : 'fail')))
  })
  test('absent is not null', async () => {
    expect(await statusOf({ expected: [{ name: 'a', input: { x: null } }] }, [step('a')])).toBe('fail')
  })
})

describe('the number of calls', () => {
  const book = (times: number) => Array.from({ length: times }, () => step('book'))
  test.each<readonly [ExpectedCall, readonly number[]]>([
    [{ name: 'book' }, [1]],
    [{ name: 'book', times: 2 }, [2]],
    [{ name: 'book', times: [1, 3] }, [1, 2, 3]],
    [{ name: 'book', times: 0 }, [0]],
    [{ name: 'book', optional: true }, [0, 1]],
    [{ name: 'book', times: 2, optional: true }, [0, 1, 2]],
  ])('%o', async (call, passing) => {
    for (const order of ['any', 'in-order', 'exact'] as const)
      for (const times of [0, 1, 2, 3, 4])
        expect([order, times, await statusOf({ expected: [call], order }, book(times))]).toEqual([
          order,
          times,
          passing.includes(times) ? 'pass' : 'fail',
        ])
  })
})

describe('order and other calls', () => {
  const expected = [{ name: 'read' }, { name: 'write' }]
  const made = (...names: readonly string[]) => names.map((name) => step(name))
  test.each<readonly [ToolCallsOptions, readonly string[], string]>([
    [{ order: 'in-order' }, ['read', 'write'], 'pass'],
    [{ order: 'in-order' }, ['write', 'read'], 'fail'],
    [{ order: 'in-order' }, ['read', 'think', 'write'], 'fail'],
    [{ order: 'in-order', extra: ['think'] }, ['think', 'read', 'think', 'write'], 'pass'],
    [{ order: 'in-order', extra: ['think'] }, ['read', 'delete', 'write'], 'fail'],
    [{ order: 'in-order', extra: 'allowed' }, ['write', 'read', 'x', 'write'], 'pass'],
    [{ order: 'any', extra: ['think'] }, ['write', 'think', 'read'], 'pass'],
    [{ order: 'any', only: ['read', 'write'] }, ['write', 'think', 'read', 'x'], 'pass'],
    [{ order: 'exact' }, ['read', 'write'], 'pass'],
    [{ order: 'exact' }, ['read', 'write', 'write'], 'fail'],
  ])('%o with %j: %s', async (options, names, status) => {
    expect(await statusOf({ expected, ...options }, made(...names))).toBe(status)
  })
  test('a call that may come besides leaves its place to one that may not', async () => {
    const optional = [
      { name: 'a', optional: true },
      { name: 'b', optional: true },
    ]
    expect(await statusOf({ expected: optional, order: 'in-order', extra: ['a'] }, made('b', 'a'))).toBe('pass')
  })
  test('the status of a call counts where the judge says so', async () => {
    for (const status of ['failed', 'denied', 'invalid', 'unfinished'] as const) {
      expect(await statusOf({ expected: [{ name: 'a' }] }, [step('a', {}, status)])).toBe('pass')
      expect(await statusOf({ expected: [{ name: 'a' }], results: 'completed' }, [step('a', {}, status)])).toBe('fail')
    }
  })
})

describe('inputs', () => {
  test.each<readonly [ExpectedCall['input'], ToolStep['input'], boolean]>([
    [undefined, { any: 1 }, true],
    [{ a: { b: [1, 2] } }, { a: { b: [1, 2] } }, true],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: [1, 2] }, { a: [2, 1] }, false],
    [{ a: 1 }, { a: 1, b: 2 }, false],
    [{ equals: { equals: 1 } }, { equals: 1 }, true],
    [{ contains: { a: { b: 1 } } }, { a: { b: 1, c: 2 }, d: 3 }, true],
    [{ contains: ['a'] }, ['b', 'a'], true],
    [{ q: { contains: 'Lon' } }, { q: 'in London' }, true],
    [{ q: { matches: '^Lon' } }, { q: 'in London' }, false],
    [{ q: { matches: /lon/i } }, { q: 'in London' }, true],
    [{ q: { matches: '1' } }, { q: 1 }, false],
    [{ n: { close: 3, within: 0.5 } }, { n: 3.5 }, true],
    [{ n: { close: 3, within: 0.5 } }, { n: '3' }, false],
    [{ n: { oneOf: [1, { a: 1 }] } }, { n: { a: 1 } }, true],
    [{ n: { oneOf: [1] } }, {}, false],
    [(input) => JSON.stringify(input).length > 2, { a: 1 }, true],
    [{ n: (value) => typeof value === 'number' }, { n: 'x' }, false],
    [{ __proto__: null, a: 1 }, { a: 1 }, true],
  ])('%o and %j: %s', async (input, made, fits) => {
    const expected = [{ name: 'a', ...(input !== undefined && { input }) }]
    expect(await statusOf({ expected }, [step('a', made)])).toBe(fits ? 'pass' : 'fail')
  })
  test('a check says how often, and what differs in the nearest call', async () => {
    const expected = [{ name: 'search', input: { city: 'London', days: { close: 2, within: 1 }, unit: 'C' } }]
    const steps = [
      step('search', { city: 'Rome', days: 9 }),
      step('search', { city: 'Paris', days: 3, unit: 'C' }),
      step('x'),
    ]
    const { checks, score, reasoning } = await judged({ expected, extra: ['x'] }, steps)
    expect(reasoning).toBe('0 of 1 expected calls was made; 2 not expected')
    expect(score).toMatchObject({ value: 0 })
    expect(checks).toMatchObject([
      {
        name: 'expected 1: search',
        message: 'was not made; the nearest is call 2: /city is not "London", but "Paris"',
      },
      { name: 'not expected: search', message: 'call 1 with {"city":"Rome","days":9}' },
      { name: 'not expected: search' },
    ])
    const [missing] = (await judged({ expected: [{ name: 'a', times: 2 }] }, [step('b'), step('c')])).checks
    expect(missing?.message).toBe('was made 0 of 2 times; the agent called b, c')
  })
})

describe('declared policies', () => {
  const none: ToolCallsOptions = { expected: [] }
  test.each<readonly [string, ToolCallsOptions | undefined, readonly ToolStep[] | undefined, object, string]>([
    ['nothing expected, nothing called', none, [], {}, 'pass'],
    ['the same, a fail', { ...none, whenNone: 'fail' }, [], {}, 'fail'],
    ['the same, an abstention', { ...none, whenNone: 'abstain' }, [], {}, 'abstain'],
    ['nothing expected, something called', none, [step('a')], {}, 'fail'],
    ['the same, where others are allowed', { ...none, extra: 'allowed' }, [step('a')], {}, 'pass'],
    ['something expected, nothing called', { expected: [{ name: 'a' }] }, [], {}, 'fail'],
    ['calls that are not known', { expected: [{ name: 'a' }] }, undefined, {}, 'abstain'],
    ['no expectation', undefined, [step('a')], {}, 'abstain'],
    ['the expectation of the item', undefined, [step('a')], { toolCalls: [{ name: 'a' }] }, 'pass'],
    ['that of a CSV file', undefined, [step('b')], { toolCalls: '[{"name": "a"}]' }, 'fail'],
    ['an empty cell', undefined, [step('b')], { toolCalls: ' ' }, 'abstain'],
    ['a broken one', undefined, [step('b')], { toolCalls: '[{"name' }, 'error'],
    ['a misspelt one', undefined, [step('b')], { toolCalls: [{ nmae: 'a' }] }, 'error'],
    [
      'a function',
      { expected: ({ metadata }) => metadata['calls'] as readonly ExpectedCall[] },
      [step('b')],
      { calls: [{ name: 'b' }] },
      'pass',
    ],
  ])('%s', async (_, options, steps, metadata, status) => {
    expect((await judged(options, steps, metadata)).status).toBe(status)
  })
  test('unknown calls have neither a score nor a verdict', async () => {
    const judgment = await judged(none, undefined)
    expect(judgment).toMatchObject({ status: 'abstain', metadata: { 'tools-unknown': true } })
    expect(judgment).not.toHaveProperty('score')
  })
  test('an agent cannot leave its judgment by more calls than are compared', async () => {
    const steps = Array.from({ length: 1_001 }, () => step('a'))
    const judgment = await judged({ expected: [{ name: 'a' }], extra: 'allowed' }, steps)
    expect(judgment).toMatchObject({ status: 'fail', metadata: { unjudgeable: 'limit-exceeded' } })
    expect((await judged({ expected: [{ name: 'a' }], extra: 'allowed' }, steps.slice(1))).status).toBe('pass')
  })
})

test.each<readonly [object, RegExp]>([
  [{ order: 'exact', extra: 'allowed' }, /with the order "exact"/],
  [{ expected: [{ name: '' }] }, /expected call 1: "name" must be a string that is not blank/],
  [{ expected: [{ name: 'a', times: [2, 1] }] }, /"times" must be a number from 0 to 1000, or \[lowest, highest\]/],
  [{ expected: [{ name: 'a', input: { x: { matches: '(' } } }] }, /Invalid regular expression/],
  [{ expected: [{ name: 'a', input: { x: new Date() } }] }, /an expected input must be JSON or a rule/],
  [
    {
      expected: [
        { name: 'a', times: 600 },
        { name: 'b', times: 600 },
      ],
    },
    /1200 calls are expected, at most 1000 can be/,
  ],
  [{ inputs: 'same' }, /"inputs" must be "equal", "contains", "ignore"/],
  [{ extras: 'allowed' }, /unknown option "extras"/],
])('%o is refused', (options, message) => {
  expect(() => toolCalls(options)).toThrow(message)
})
