import { fail, pass } from '@jurist/core'
import { expect, test } from 'vitest'
import { calibrationOf } from '../../src/calibrate/index.js'
import { calibrationReport } from '../../src/report/index.js'
import type { ItemResult } from '../../src/result/index.js'
import { anItem, aResult } from '../../src/testing/index.js'
import { payloads } from './hostile.js'

function trial(itemId: string, expected: string, predicted: string, reasoning = 'because'): ItemResult {
  const judgment = predicted === 'pass' ? pass(reasoning) : fail(reasoning)
  const scorer = { scored: true, match: expected === predicted, score: 1, expected, predicted, reasoning } as const
  const detail = { kind: 'judge', judgment, expectedLabel: expected, scorer, swapped: null } as const
  return anItem({ itemId, detail, judged: scorer.match ? 'pass' : 'fail', passed: scorer.match })
}

test('shows agreement, confusion, classes and disagreements', () => {
  const items = [
    trial('a', 'pass', 'pass'),
    trial('b', 'pass', 'fail', 'too short'),
    trial('c', 'fail', 'fail'),
    trial('d', 'fail', 'fail'),
  ]
  const text = calibrationReport(calibrationOf(aResult({ kind: 'judge', experimentName: 'tone', items })))
  expect(text).toMatch(/^Calibration tone \(/)
  expect(text).toContain('Agrees on 3 of 4 scored trials: 75.0 %; 95 %: 30.1 to 95.4 %, Wilson; 95 %: ')
  expect(text).toContain('Scored 4 of 4 trials over 4 items (100.0 %).')
  expect(text).toMatch(/Cohen's kappa +0\.500/)
  expect(text).toMatch(/Fails that should pass +0\.500/)
  expect(text).toMatch(/fail +2 +0\n +pass +1 +1/)
  expect(text).toMatch(/Disagreements \(1\)\n.*\n +b#1 +pass +fail +too short/)
})

test('hostile texts stay texts in both formats', () => {
  const items = payloads.map((text, index) => trial(`item-${index}`, index % 3 === 0 ? 'pass' : 'fail', 'pass', text))
  const calibration = calibrationOf(aResult({ kind: 'judge', items }))
  const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2028\u2029]/
  expect(calibrationReport(calibration)).not.toMatch(controls)
  const markdown = calibrationReport(calibration, { format: 'markdown' })
  expect(markdown).not.toMatch(controls)
  expect(markdown).not.toMatch(/<(?!br)|@\w|[^\\]`/)
  for (const line of markdown.split('\n').filter((row) => row.startsWith('| item-')))
    expect(line.match(/(?<!\\)\|/g)).toHaveLength(5)
})

test('of nothing scored says so', () => {
  const text = calibrationReport(calibrationOf(aResult({ kind: 'judge', items: [] })))
  expect(text).toContain('Agrees on 0 of 0 scored trials: –')
})
