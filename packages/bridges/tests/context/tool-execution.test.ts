import { describe, expect, test } from 'vitest'
import { joinTools, readArguments } from '../../src/context/tool-execution.js'

describe('joinTools', () => {
  test('results come out of order, are missing, duplicated, or belong to no call', () => {
    const calls = [
      { id: 'a', name: 'first', step: 0, input: { n: 1 } },
      { id: 'b', name: 'second', step: 0, input: {} },
      { id: 'a', name: 'third', step: 1, input: {} },
      { name: 'nameless', step: 2, input: [] },
    ]
    const outcomes = [
      { id: 'x', output: 'lost' },
      { id: 'a', output: 1 },
      { id: 'a', output: 2, status: 'failed' as const, failure: { name: 'Error', message: 'no' } },
      { id: 'a', output: 3 },
    ]
    expect(joinTools(calls, outcomes)).toEqual([
      { id: 'a', name: 'first', step: 0, input: { n: 1 }, output: 1, status: 'completed' },
      { id: 'b', name: 'second', step: 0, input: {}, status: 'unfinished' },
      {
        id: 'a-2',
        name: 'third',
        step: 1,
        input: {},
        output: 2,
        status: 'failed',
        failure: { name: 'Error', message: 'no' },
      },
      { id: 'call-4', name: 'nameless', step: 2, input: [], status: 'unfinished' },
      { id: 'x', name: 'unknown', step: 0, input: null, output: 'lost', status: 'completed' },
      { id: 'a-3', name: 'unknown', step: 0, input: null, output: 3, status: 'completed' },
    ])
  })

  test('an id that looks like a numbered one is not taken twice', () => {
    const ids = joinTools(
      ['a', 'a-2', 'a', 'a'].map((id) => ({ id, input: 0 })),
      [],
    ).map(({ id }) => id)
    expect(new Set(ids).size).toBe(4)
  })

  test('thousands of equal ids are named quickly, and everything is capped', () => {
    const many = joinTools(
      Array.from({ length: 20_000 }, () => ({ id: 'same', input: 0 })),
      [],
    )
    expect(many.at(-1)?.id).toBe('same-20000')
    const [big] = joinTools(
      [{ id: 'x'.repeat(1e6), name: 'y'.repeat(1e6), input: Array.from({ length: 9 }, () => 'z'.repeat(60_000)) }],
      [],
    )
    expect(JSON.stringify(big).length).toBeLessThan(300_000)
    expect(big?.input).toMatch(/… \d+ characters …/)
  })
})

test('arguments as models write them', () => {
  expect(readArguments('{"a":1}')).toEqual({ input: { a: 1 }, invalid: false })
  expect(readArguments('')).toEqual({ input: {}, invalid: false })
  expect(readArguments('{"a":')).toEqual({ input: '{"a":', invalid: true })
  expect(readArguments({ a: 1 })).toEqual({ input: { a: 1 }, invalid: false })
})
