import { type Judge, runJudge, type ToolStep } from '@jurist/core'
import { aContext, memoryWorkspace } from '@jurist/core/testing'
import { noRepeats, stateEquals, toolFailures, toolOrder, toolsUsed } from '@jurist/core/tools'
import { describe, expect, test } from 'vitest'

const step = (name: string, status: ToolStep['status'] = 'completed', input: ToolStep['input'] = {}): ToolStep => ({
  name,
  input,
  status,
  turn: 0,
})
const made = [
  step('search'),
  step('search', 'failed', { q: 1, p: 2 }),
  step('search', 'completed', { p: 2, q: 1 }),
  step('book', 'denied'),
]
const judged = (judge: Judge, toolSteps: readonly ToolStep[] | undefined = made) =>
  runJudge(judge, aContext(toolSteps === undefined ? {} : { toolSteps }))

test.each<readonly [string, Judge, string, RegExp]>([
  ['all', toolsUsed({ all: ['search', 'book'] }), 'pass', /the agent called search, book/],
  ['all, completed', toolsUsed({ all: ['book'], results: 'completed' }), 'fail', /calls book: the agent called search/],
  ['any', toolsUsed({ any: ['x', 'book'] }), 'pass', /./],
  ['any of none', toolsUsed({ any: [] }), 'fail', /./],
  ['none', toolsUsed({ none: ['book'] }), 'fail', /does not call book: it was called once/],
  ['at most', toolsUsed({ atMost: { search: 2 } }), 'fail', /it was called 3 times/],
  ['order', toolOrder('search', 'book'), 'pass', /./],
  ['the other order', toolOrder('book', 'search'), 'fail', /search is call 1, and book is call 4/],
  ['order without the first', toolOrder('ask', 'book'), 'fail', /book is call 4, and ask was not called/],
  ['order without the second', toolOrder('search', 'delete'), 'pass', /delete was not called/],
  ['the same, an abstention', toolOrder('search', 'delete', { whenNone: 'abstain' }), 'abstain', /./],
  ['order of what completed', toolOrder('book', 'book2', { results: 'completed', whenNone: 'fail' }), 'fail', /./],
  ['repeats', noRepeats(), 'fail', /"search" with \{"q":1,"p":2\} was made 2 times/],
  ['repeats that are allowed', noRepeats({ atMost: 2 }), 'pass', /./],
  ['failures', toolFailures({ atMost: 1 }), 'fail', /2 of 4 calls failed, 1 may/],
  ['failures that are allowed', toolFailures({ atMost: 2 }), 'pass', /./],
])('%s', async (_, judge, status, reasoning) => {
  const judgment = await judged(judge)
  expect([judgment.status, judgment.reasoning]).toEqual([status, expect.stringMatching(reasoning)])
  const unknown = await runJudge(judge, aContext({}))
  expect(unknown).toMatchObject({ status: 'abstain', metadata: { 'tools-unknown': true } })
})

test('an earlier call that was denied can be refused', async () => {
  const steps = [step('ask', 'denied'), step('delete')]
  expect((await judged(toolOrder('ask', 'delete'), steps)).status).toBe('pass')
  expect((await judged(toolOrder('ask', 'delete', { results: 'completed' }), steps)).status).toBe('fail')
})

test.each<readonly [() => Judge, RegExp]>([
  [() => toolsUsed({}), /give at least one of/],
  [() => toolsUsed({ atMost: { a: -1 } }), /"atMost" must be/],
  [() => toolOrder('', 'b'), /"before" must be the name of a tool/],
  [() => noRepeats({ atMost: 0 }), /"atMost" must be an integer of at least 1/],
  [() => toolFailures({} as never), /"atMost" must be/],
  [() => stateEquals({ file: 'a.json', key: 'b' }), /give "file" or "key"/],
])('bad options %#', (make, message) => {
  expect(make).toThrow(message)
})

describe('the final state', () => {
  const state = { orders: [{ id: 'A', open: false }], log: ['x'] }
  const workspace = memoryWorkspace({
    'state.json': JSON.stringify(state),
    'bad.json': '{',
    'twice.json': '{"a":1,"a":2}',
  })
  const inMetadata = { 'mcp.state': state }
  test.each<readonly [string, Judge, Readonly<Record<string, unknown>>, string, string]>([
    [
      'equal, of a file',
      stateEquals({ file: 'state.json', expected: { log: ['x'], orders: [{ open: false, id: 'A' }] } }),
      {},
      'pass',
      'the state is the expected one',
    ],
    ['equal, of the metadata', stateEquals({ expected: state }), inMetadata, 'pass', 'the state is the expected one'],
    [
      'under another key',
      stateEquals({ key: 'db', expected: { a: 1 } }),
      { db: { a: 1 } },
      'pass',
      'the state is the expected one',
    ],
    [
      'a difference',
      stateEquals({ expected: { ...state, log: [] } }),
      inMetadata,
      'fail',
      '1 place differs: /log is ["x"], expected []',
    ],
    [
      'more fields',
      stateEquals({ expected: { log: ['x'] } }),
      inMetadata,
      'fail',
      '1 place differs: /orders is not expected',
    ],
    [
      'more fields, allowed',
      stateEquals({ expected: { orders: [{ id: 'A' }] }, by: 'contains' }),
      inMetadata,
      'pass',
      'the state is the expected one',
    ],
    [
      'fewer fields',
      stateEquals({ expected: { a: 1 }, by: 'contains' }),
      inMetadata,
      'fail',
      '1 place differs: value is {}, expected {"a":1}',
    ],
    [
      'more elements',
      stateEquals({ expected: { log: ['x', 'y'] }, by: 'contains' }),
      inMetadata,
      'fail',
      '1 place differs: /log/1 is missing',
    ],
    ['of the item', stateEquals(), { ...inMetadata, expectedState: state }, 'pass', 'the state is the expected one'],
    [
      'a function',
      stateEquals({ expected: ({ goal }) => ({ goal }) }),
      { 'mcp.state': { goal: '' } },
      'pass',
      'the state is the expected one',
    ],
    [
      'nothing expected',
      stateEquals(),
      inMetadata,
      'abstain',
      expect.stringContaining('no state is expected') as never,
    ],
    ['no state', stateEquals({ expected: {} }), {}, 'abstain', 'no state is recorded: the metadata has no "mcp.state"'],
    ['no JSON', stateEquals({ file: 'bad.json', expected: {} }), {}, 'fail', 'bad.json is not valid JSON'],
    [
      'a key twice',
      stateEquals({ file: 'twice.json', expected: {} }),
      {},
      'fail',
      'twice.json is not JSON that can be compared',
    ],
    [
      'no file',
      stateEquals({ file: 'none.json', expected: {} }),
      {},
      'fail',
      expect.stringContaining('none.json') as never,
    ],
  ])('%s', async (_, judge, metadata, status, reasoning) => {
    const judgment = await runJudge(judge, aContext({ workspace, metadata, goal: '' }))
    expect([judgment.status, judgment.reasoning]).toEqual([status, reasoning])
  })
})
