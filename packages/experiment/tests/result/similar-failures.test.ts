import { alikeTrials } from '@jurist/experiment/internal/results'
import { anItem } from '@jurist/experiment/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { likeness } from '../../src/result/similar-failures.js'

const failed = (message: string, itemId = message) =>
  anItem({
    ...{ itemId, passed: false, agent: 'error', judged: 'not-judged' },
    failure: { name: 'Error', message, origin: 'agent', infrastructure: false },
  })

test.each([
  ['the output does not equal "4"', 'the output does not equal "17"'],
  ["Cannot find module '/tmp/jurist-1/sum.js'", "Cannot find module '/tmp/jurist-22/sum.js'"],
  ['1 of 3 tests failed (adds: expected 3, got 2)', '2 of 12 tests failed (adds: expected 30.5, got -1)'],
  ['no file in /var/folders/x/T/jurist-4kq7/a', 'no file in /var/folders/y/T/jurist-9/b'],
  ['commit 9f86d081884c7d65 is gone', 'commit 2c26b46b68ffc68f is gone'],
  ['`a` is missing at src/a.js:7:3', '`b` is missing at src/a.js:19:1'],
])('%j and %j are alike', (one, other) => {
  expect(likeness(one)).toBe(likeness(other))
  const [group, ...rest] = alikeTrials([failed(one), failed(other)])
  expect(rest).toEqual([])
  expect(group).toMatchObject({ reason: one, same: false, outcome: 'error' })
})

test.each([
  ['exit code 1', 'exit code 137'],
  ['the model is down (HTTP 529)', 'the model is down (HTTP 401)'],
  ['1 of 3 tests failed (adds: no)', '1 of 3 tests failed (subtracts: no)'],
  ["it doesn't build, isn't it", "it doesn't run, isn't it"],
])('%j and %j are not', (one, other) => {
  expect(likeness(one)).not.toBe(likeness(other))
})

test('the largest group comes first, the first trial of a group names it, and passes are in none', () => {
  const trials = [failed('rare'), failed('often', 'a'), anItem({ passed: true }), failed('often', 'b')]
  const groups = alikeTrials(trials)
  expect(groups.map(({ reason, same, trials }) => [reason, same, trials.map(({ itemId }) => itemId)])).toEqual([
    ['often', true, ['a', 'b']],
    ['rare', true, ['rare']],
  ])
  // One reason for two outcomes is two groups.
  const undecided = { ...failed('often', 'c'), passed: null }
  expect(alikeTrials([failed('often'), undecided]).map(({ outcome }) => outcome)).toEqual(['error', 'undecided'])
})

const words = fc.constantFrom(
  'exit code 1',
  'expected 3',
  '"a b"',
  "'x",
  "don't",
  '/tmp/a/b',
  'deadbeef01',
  '`',
  '12.5',
  ' ',
)
const reason = fc.oneof(
  fc.string(),
  fc.array(words, { maxLength: 12 }).map((parts) => parts.join(' ')),
)

test('every trial that did not pass is in exactly one group, with those of the same likeness', () => {
  fc.assert(
    fc.property(fc.array(reason, { maxLength: 20 }), (reasons) => {
      const trials = reasons.map((message, index) => failed(message, `${index}`))
      const groups = alikeTrials(trials)
      expect(groups.flatMap((group) => group.trials.map(({ itemId }) => itemId)).toSorted()).toEqual(
        trials.map(({ itemId }) => itemId).toSorted(),
      )
      const sizes = groups.map((group) => group.trials.length)
      expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
    }),
  )
})

test('likeness of a likeness is itself, and the numbers of a sentence do not matter', () => {
  fc.assert(
    fc.property(reason, (text) => {
      expect(likeness(likeness(text))).toBe(likeness(text))
    }),
  )
  fc.assert(
    fc.property(fc.nat(), fc.nat(), fc.nat(), (a, b, c) => {
      expect(likeness(`${a} of ${b} tests failed, ${c} skipped`)).toBe('0 of 0 tests failed, 0 skipped')
    }),
  )
})
