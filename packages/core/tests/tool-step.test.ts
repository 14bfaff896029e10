import { type JournalEvent, judgmentContext } from '@jurist/core'
import { stepsOfEvents, stepsOfExecutions } from '@jurist/core/internal'
import { describe, expect, test } from 'vitest'

const call = (id: string, name: string, input: unknown = {}): JournalEvent =>
  ({ type: 'tool-call', id, name, input }) as JournalEvent
const result = (id: string, content: string, failed = false): JournalEvent => ({
  type: 'tool-result',
  id,
  content,
  failed,
})
const model: JournalEvent = { type: 'model-call', model: 'm' }

describe('steps of what an agent recorded', () => {
  test('each call has its own result, and the number of the model call before it', () => {
    const events = [
      model,
      call('a', 'read', { x: 1 }),
      call('b', 'read'),
      result('b', 'B', true),
      result('a', 'A'),
      model,
      call('a', 'write'),
    ]
    expect(stepsOfEvents(events)).toEqual([
      { name: 'read', input: { x: 1 }, output: 'A', status: 'completed', turn: 0 },
      { name: 'read', input: {}, output: 'B', status: 'failed', turn: 0 },
      { name: 'write', input: {}, status: 'unfinished', turn: 1 },
    ])
  })
  test('arguments that are JSON text become data', () => {
    const inputs = ['{"a": 1}', '[1]', '{"a"', 'plain', undefined].map((input) =>
      stepsOfEvents([call('a', 'x', input)]),
    )
    expect(inputs.map((steps) => steps?.[0]?.input)).toEqual([{ a: 1 }, [1], '{"a"', 'plain', {}])
  })
  test('events without a word of tools say nothing of them', () => {
    expect(stepsOfEvents([])).toBeUndefined()
    expect(stepsOfEvents([model, { type: 'text', text: 'done' }])).toBeUndefined()
    expect(stepsOfEvents([result('a', 'A')])).toEqual([])
  })
})

describe('steps of what a bridge observed', () => {
  test('have the fields of a step', () => {
    const execution = { id: 'a', name: 'look', step: 2, input: { at: 1 }, output: [1], status: 'denied', paths: ['x'] }
    expect(stepsOfExecutions([execution])).toEqual([
      { name: 'look', input: { at: 1 }, output: [1], status: 'denied', turn: 2 },
    ])
    expect(stepsOfExecutions([])).toEqual([])
  })
  test.each([
    [undefined],
    ['x'],
    [[null]],
    [[{ name: 'a', input: 1, status: 'odd', step: 0 }]],
    [[{ name: 'a', status: 'denied', step: 0 }]],
  ])('%j is nothing of the kind', (given) => {
    expect(stepsOfExecutions(given)).toBeUndefined()
  })
})

test('a context refuses what are no steps', () => {
  expect(judgmentContext({ toolSteps: [] }).toolSteps).toEqual([])
  expect(judgmentContext({})).not.toHaveProperty('toolSteps')
  expect(() => judgmentContext({ toolSteps: [{ name: 'a' }] as never })).toThrow(
    /"toolSteps" must be an array of tool steps/,
  )
})
