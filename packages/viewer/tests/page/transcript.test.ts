import { journalSteps } from '@jurist/experiment/internal/journal'
import { describe, expect, test } from 'vitest'
import { matchingSteps, toolCounts } from '../../page/transcript/journal-tools.js'
import { barsOf, stepNear, timesOf } from '../../page/transcript/waterfall.js'

const at = (seconds: number) => ({ at: new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString() })
const steps = journalSteps([
  { type: 'text', text: 'Look for the CENTS', phase: 'plan', ...at(0) },
  { type: 'tool-call', id: '1', name: 'Bash', input: { command: 'npm test' }, ...at(10) },
  { type: 'tool-result', id: '1', failed: true, content: 'off by a cent', ...at(12) },
  { type: 'tool-call', id: '2', name: 'Read', input: { file_path: 'Bash' }, ...at(50) },
  { type: 'tool-result', id: '2', failed: false, content: 'text', ...at(51) },
  { type: 'tool-call', id: '3', name: 'Bash', input: { command: 'ls' }, ...at(100) },
])
const everything = { words: '', tool: '', isFailed: false }

describe('choosing steps', () => {
  test.each([
    [{}, [0, 0, 1, 3, 5]],
    [{ words: 'cent' }, [0, 1]],
    [{ words: 'nothing' }, []],
    [{ tool: 'Bash' }, [1, 5]],
    [{ isFailed: true }, [1]],
    [{ isFailed: true, tool: 'Read' }, []],
  ])('%j', (filter, indexes) => {
    expect(matchingSteps(steps, { ...everything, ...filter }).map(({ index }) => index)).toEqual(indexes)
  })

  test('tools with their calls and failures, the most used first', () => {
    expect(toolCounts(steps)).toEqual([
      { tool: 'Bash', calls: 2, failed: 1 },
      { tool: 'Read', calls: 1, failed: 0 },
    ])
  })
})

describe('the waterfall', () => {
  const times = timesOf(steps)

  test('steps begin and end where they did', () => {
    expect(times.starts).toEqual([0, 0, 0.1, 0.5, 1])
    expect(times.ends[2]).toBeCloseTo(0.12)
    expect(barsOf(steps, times).map(({ lane }) => lane)).toEqual(['phase', 'message', 'failed', 'tool', 'tool'])
  })

  test.each([
    [0.11, 2],
    [0.103, 2],
    [0.49, 3],
    [0.99, 4],
  ])('the step at %d is %i', (share, step) => {
    expect(stepNear(steps, times, share)).toBe(step)
  })

  test('the number of marks does not grow with the journal, and steps without times are spread', () => {
    const many = journalSteps(Array.from({ length: 20_000 }, (_, index) => ({ type: 'text', text: `${index}` })))
    const spread = timesOf(many)
    expect(spread.starts[10_000]).toBe(0.5)
    expect(barsOf(many, spread).length).toBeLessThanOrEqual(501)
  })
})
