import { abstain, error, fail, type Judgment, jury, pass } from '@jurist/core'
import { judgmentFromJson } from '@jurist/core/internal'
import { evidenceOf } from '@jurist/experiment/internal/results'
import { expect, test } from 'vitest'

const none = { command: null, model: null, label: null, votes: null, error: null, metadata: {}, places: [] }

test('a judgment without evidence has none of any kind', () => {
  for (const judgment of [pass('fine'), fail('bad'), abstain('nothing to judge')])
    expect(evidenceOf(judgment)).toEqual(none)
})

test('the command of a judge, what else it recorded, and the places in its output', () => {
  const command = {
    command: 'npm test',
    status: 'exited',
    exitCode: 1,
    output: '\u001b[31msrc/a.js:7\u001b[39m: 1 !== 2',
  }
  const judgment = fail('exit code 1 (test/a.test.js:3)', {
    checks: [{ name: 'sum', passed: false, message: '', location: { path: 'src/b.js', line: 2 } }],
    metadata: { ...command, truncated: false, elapsedMs: 1_200, expectedExitCode: 0, report: 'tap' },
  })
  expect(evidenceOf(judgment)).toEqual({
    ...none,
    command: {
      ...{ line: 'npm test', exitCode: 1, signal: null, timedOut: false, durationMs: 1_200, cut: false },
      output: '\u001b[31msrc/a.js:7\u001b[39m: 1 !== 2',
    },
    metadata: { expectedExitCode: 0, report: 'tap' },
    places: [
      { path: 'src/b.js', line: 2, column: null },
      { path: 'test/a.test.js', line: 3, column: null },
      { path: 'src/a.js', line: 7, column: null },
    ],
  })
})

test('a command that was out of time, and an output that was cut', () => {
  const metadata = { command: 'sleep 9', status: 'timed-out', exitCode: null, output: '…rest', truncated: false }
  expect(evidenceOf(fail('late', { metadata })).command).toMatchObject({ timedOut: true, cut: true, exitCode: null })
  expect(
    evidenceOf(fail('killed', { metadata: { ...metadata, status: 'killed', signal: 'SIGKILL' } })).command,
  ).toMatchObject({ timedOut: false, signal: 'SIGKILL' })
})

test('the model, its answer, its label and what it took', () => {
  const metadata = {
    label: 'NO',
    model: 'm-1',
    rawText: 'Wrong.\nAnswer: NO',
    cached: true,
    samples: { pass: 1, fail: 2 },
  }
  const usage = { inputTokens: 10, outputTokens: 2 }
  expect(evidenceOf(fail('Wrong.', { metadata: { ...metadata, plan: [1] }, usage, costUsd: 0.5 }))).toEqual({
    ...none,
    model: { name: 'm-1', prompt: null, answer: 'Wrong.\nAnswer: NO', cut: false, cached: true, usage, costUsd: 0.5 },
    label: 'NO',
    votes: { pass: 1, fail: 2 },
    metadata: { plan: [1] },
  })
  expect(
    evidenceOf(pass('', { metadata: { rawText: 'x', prompt: 'ask', promptTruncated: true } })).model,
  ).toMatchObject({
    ...{ name: null, prompt: 'ask', answer: 'x', cut: true, usage: null, costUsd: null },
  })
})

test('the votes of a jury', async () => {
  const { aggregated } = await jury({ judges: { a: () => true, b: () => false, c: () => abstain('no') } }).vote({})
  expect(evidenceOf(aggregated)).toEqual({ ...none, votes: { pass: 1, fail: 1, abstain: 1 } })
})

test('an error with the frames of the user, which a stored judgment keeps', () => {
  const failure = { name: 'TypeError', message: 'no', stack: 'at check (src/judge.js:12:5)\nat run (src/main.js:1:1)' }
  const stored: Judgment = judgmentFromJson({
    ...JSON.parse(JSON.stringify(error('broke', new TypeError('no')))),
    failure,
  })
  const place = { path: 'src/judge.js', line: 12, column: 5 }
  expect(evidenceOf(stored)).toEqual({
    ...none,
    error: { name: 'TypeError', message: 'no', code: null, stack: failure.stack, place },
    places: [place, { path: 'src/main.js', line: 1, column: 1 }],
  })
})

test("a judge's own metadata under the same names is shown as metadata", () => {
  const metadata = { command: 'restart', model: 'T', votes: 3, samples: 'none', label: 4, output: 'x', rawText: 7 }
  expect(evidenceOf(pass('', { metadata }))).toEqual({
    ...none,
    command: expect.anything(),
    metadata: expect.anything(),
  })
  const { output, ...rest } = metadata
  expect(evidenceOf(pass('', { metadata: rest }))).toEqual({ ...none, metadata: rest })
})
