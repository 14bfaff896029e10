import { error, fail, pass } from '@jurist/core'
import { judgmentFromJson } from '@jurist/core/internal'
import { evidenceBlocks, evidenceOf, excerptLines } from '@jurist/experiment/internal/results'
import fc from 'fast-check'
import { expect, test } from 'vitest'

test('blocks say what ran and how it ended, what a model answered, and what was thrown', () => {
  const blocks = (metadata: object) => evidenceBlocks(evidenceOf(fail('no', { metadata: { ...metadata } })))
  const command = { command: 'npm test', status: 'exited', exitCode: 1, elapsedMs: 1_200, output: '1 !== 2\n' }
  expect(blocks({ ...command, tool: 'npm' })).toEqual([
    { title: '$ npm test   exit code 1, 1.2 s', text: '1 !== 2\n', isDetail: false },
    { title: 'Metadata', text: 'tool: "npm"', isDetail: true },
  ])
  expect(blocks({ ...command, status: 'timed-out', exitCode: null })[0]?.title).toBe('$ npm test   timed out, 1.2 s')
  expect(blocks({ ...command, exitCode: null, signal: 'SIGKILL' })[0]?.title).toBe(
    '$ npm test   killed by SIGKILL, 1.2 s',
  )
  const usage = { inputTokens: 1_200, outputTokens: 20 }
  const asked = pass('', {
    usage,
    costUsd: 0.5,
    metadata: { rawText: 'Answer: YES', prompt: 'Is it?', model: 'm', cached: true },
  })
  expect(evidenceBlocks(evidenceOf(asked))).toEqual([
    { title: 'Answer of m   cached, 1,200 tokens in, 20 out, $0.50', text: 'Answer: YES', isDetail: false },
    { title: 'Prompt', text: 'Is it?', isDetail: true },
  ])
  const thrown = judgmentFromJson({
    ...JSON.parse(JSON.stringify(error('broke', new TypeError('no')))),
    failure: { name: 'TypeError', message: 'no', stack: 'at f (a.js:1:1)' },
  })
  expect(evidenceBlocks(evidenceOf(thrown))).toEqual([
    { title: 'TypeError: no', text: 'at f (a.js:1:1)', isDetail: false },
  ])
})

const filler = Array.from({ length: 50 }, (_, index) => `line ${index}`).join('\n')

test.each([
  ['TAP', 'not ok 2 - finds both ends'],
  ['Vitest', ' FAIL  test/a.test.js > finds both ends'],
  ['Jest, Mocha', 'AssertionError: expected 1 to be 2'],
  ['pytest', 'E   AssertionError: assert 1 == 2'],
  ['Go', '--- FAIL: TestBothEnds (0.00s)'],
  ['Maven', '[ERROR] /project/src/App.java:[3,5] expected'],
  ['TypeScript', 'src/a.ts(3,5): error TS2322: Type'],
  ['Cargo', 'error[E0425]: cannot find value'],
  ['Rust', "thread 'main' panicked at src/main.rs:3:5:"],
  ['Node.js', 'TypeError: x is not a function'],
])('of the output of %s the line that fails is shown', (_, line) => {
  const shown = excerptLines(`${filler}\n${line}\n${filler}`, 6).split('\n')
  expect(shown).toEqual([
    '… 49 lines above',
    'line 49',
    line,
    'line 0',
    'line 1',
    'line 2',
    'line 3',
    '… 46 lines below',
  ])
})

test('without such a line the end is shown; a short text is shown whole; a long line is cut', () => {
  expect(excerptLines(filler, 2)).toBe('… 48 lines above\nline 48\nline 49')
  expect(excerptLines('a\nb\n', 5)).toBe('a\nb')
  expect(excerptLines('x'.repeat(50), 5, 10)).toBe(`${'x'.repeat(9)}…`)
  // A skipped test failed nothing.
  expect(excerptLines(`not ok 1 - a # TODO\n${filler}`, 1)).toBe('… 50 lines above\nline 49')
})

test('what is shown and what is left out add up', () => {
  const line = fc.constantFrom('not ok 1 - a', 'ok 2', 'Error: no', '', 'FAIL x', 'text')
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 60 }), fc.integer({ min: 1, max: 20 }), (lines, most) => {
      const text = `${lines.join('\n')}\nend`
      const shown = excerptLines(text, most).split('\n')
      const left = shown.map((one) => Number(/^… (\d+) lines? (?:above|below)$/.exec(one)?.[1] ?? 0))
      const kept = shown.filter((one) => !one.startsWith('… '))
      expect(kept.length).toBeLessThanOrEqual(most)
      expect(kept.length + left.reduce((sum, count) => sum + count, 0)).toBe(lines.length + 1)
    }),
  )
})
