import type { RunResult } from '@jurist/experiment/result'
import { anItem, aResult } from '@jurist/experiment/testing'
import { widthOf } from '@jurist/kit/terminal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { failureLines, runReport } from '../../src/terminal/run-report.js'
import { terminalOf } from '../../src/terminal/terminal.js'

const failed = (itemId: string, message: string) =>
  anItem({
    ...{ itemId, passed: false, agent: 'error', judged: 'not-judged' },
    failure: { name: 'Error', message, origin: 'agent', infrastructure: false },
  })

const stream = (columns?: number) => ({ write: () => true, ...(columns === undefined ? {} : { isTTY: true, columns }) })
const terminal = (columns?: number, env = {}) =>
  terminalOf({ stdout: stream(columns), stderr: stream(columns), env: { LANG: 'C.UTF-8', ...env } })
const plain = { NO_COLOR: '1' }
/** The lines that a terminal of this width receives. */
function linesAt(columns: number, result: RunResult, most: number): readonly string[] {
  const parts: string[] = []
  const stdout = { ...stream(columns), write: (part: string) => parts.push(part) > 0 }
  const { out } = terminalOf({ stdout, stderr: stdout, env: { LANG: 'C.UTF-8', ...plain } })
  out(failureLines(result, terminal(columns, plain), most).join('\n'))
  return parts.join('').split('\n')
}

test('a reason goes on in the next line of a terminal, and stays on one line of a pipe', () => {
  const reason = `exit code 1: ${'a word or two '.repeat(12)}at src/orders.js:7:3`
  const result = aResult({ items: [failed('orders', reason)] })
  expect(failureLines(result, terminal(), 20)).toEqual(['', `  E orders#1  error  ${reason}`])
  const lines = linesAt(60, result, 20).slice(1)
  expect(lines.length).toBeGreaterThan(2)
  expect(lines.map((line) => line.trim()).join(' ')).toBe(`E orders#1  error  ${reason}`)
  for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(60)
})

test('alike reasons are one entry; entries that are not shown are counted by their trials', () => {
  const items = [
    ...[1, 2, 3, 4, 5].map((count) => failed(`a${count}`, `${count} of 9 failed`)),
    ...['b1', 'b2'].map((id) => failed(id, 'no network')),
    failed('c', 'no disk'),
  ]
  const result = aResult({ items })
  expect(failureLines(result, terminal(), 2)).toEqual([
    '',
    '  E 5 trials  error  1 of 9 failed',
    '      and alike: a1#1, a2#1, a3#1 and 2 more',
    '  E 2 trials  error  no network',
    '      b1#1, b2#1',
    `  and 1 more: jurist show ${result.id} --failures`,
  ])
  expect(failureLines(aResult({ items: [anItem()] }), terminal(), 2)).toEqual([])
})

test('colour means something, and NO_COLOR leaves the same text', () => {
  const result = aResult({ items: [failed('orders', 'no disk'), anItem()] })
  const coloured = runReport(result, terminal(100))
  expect(coloured).toContain('\u001b[1m50.0 %\u001b[22m')
  expect(coloured).toContain('\u001b[31m1 agent error\u001b[39m')
  expect(coloured).toMatch(/\u001b\[2m {2}Cost .*\u001b\[22m\n/)
  expect(coloured).toContain('\u001b[31merror\u001b[39m  no disk')
  expect(runReport(result, terminal(100, plain))).toBe(coloured.replace(/\u001b\[\d+m/g, ''))
})

test('whatever a reason holds, a line fits its terminal and obeys nothing', () => {
  const words = fc.constantFrom('word', 'x'.repeat(90), '\u001b[2J', '日本語', '\n', '  ', '"quoted"', 'e\u0301')
  const reason = fc.array(words, { maxLength: 60 }).map((parts) => parts.join(' '))
  fc.assert(
    fc.property(reason, fc.integer({ min: 40, max: 200 }), (text, columns) => {
      const lines = linesAt(columns, aResult({ items: [failed('item', text)] }), 5)
      for (const line of lines) {
        if (/\S +\S/.test(line.slice(6))) expect(widthOf(line)).toBeLessThanOrEqual(columns)
        expect(line).not.toMatch(/[\u0000-\u001f]/)
      }
    }),
  )
})
