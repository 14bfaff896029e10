import { cascade, error, fail, type Judgment, jury, pass } from '@jurist/core'
import { memoryWorkspace } from '@jurist/core/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dateAndTime, intervalText, plainText, runName, whyStopped } from '../../page/text.js'

test.each([
  ['\u001b[31m✗\u001b[39m orders > total', '✗ orders > total'],
  ['\u001b[1;38;5;196mred\u001b[0m', 'red'],
  ['\u001b]0;title\u0007after', 'after'],
  ['\u001b]8;;https://example.com\u001b\\link\u001b]8;;\u001b\\', 'link'],
  ['\u001b[2K\u001b[1Aline', 'line'],
  ['\u009b31mred', 'red'],
  ['\u001bcreset', 'reset'],
  ['[31m is text', '[31m is text'],
])('%j is %j', (text, plain) => {
  expect(plainText(text)).toBe(plain)
})

test('text without control characters stays as it is, and nothing is left that starts a sequence', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      if (!/[\u001b\u009b]/.test(text)) expect(plainText(text)).toBe(text)
    }),
  )
  const pieces = fc.array(fc.constantFrom('\u001b[', '\u001b]', '1', ';', 'm', 'x', '\u0007', ' '))
  fc.assert(
    fc.property(pieces, (parts) => {
      expect(plainText(parts.join(''))).not.toMatch(/\u001b\[[0-9;]*m/)
    }),
  )
})

describe('why a cascade stopped', () => {
  const tier = (judgment: Judgment) => jury({ judges: { only: async () => judgment } })
  const verdictOf = (first: Judgment, policy: 'reject-on-any-fail' | 'accept-on-all-pass', last: Judgment) =>
    cascade([
      { name: 'rules', jury: tier(first), policy },
      { name: 'meaning', jury: tier(last), policy: 'final' },
    ]).vote({ workspace: memoryWorkspace({}) })

  test.each<[string, Parameters<typeof verdictOf>, RegExp]>([
    [
      'a gate rejects',
      [fail('no'), 'reject-on-any-fail', pass('yes')],
      /^The gate rules rejected it: .* meaning did not run\.$/,
    ],
    [
      'a gate accepts',
      [pass('yes'), 'accept-on-all-pass', fail('no')],
      /^The gate rules accepted it: .* meaning did not run\.$/,
    ],
    [
      'the last tier decides',
      [pass('yes'), 'reject-on-any-fail', fail('no')],
      /^The last tier, meaning, decided: [^.]*\.$/,
    ],
    [
      'a tier ends in an error',
      [error('broken'), 'reject-on-any-fail', pass('yes')],
      /^The tier rules ended in an error: /,
    ],
  ])('%s', async (_, tiers, expected) => {
    expect(whyStopped(await verdictOf(...tiers))).toMatch(expected)
  })

  test('is not said of a jury without tiers', async () => {
    expect(whyStopped(await tier(pass('yes')).vote({ workspace: memoryWorkspace({}) }))).toBeUndefined()
  })
})

test('values that are unknown or malformed are shown as they are stored', () => {
  expect(dateAndTime(null)).toBe('–')
  expect(dateAndTime('yesterday')).toBe('yesterday')
  expect(dateAndTime('2026-11-21T09:15:00.000Z')).toMatch(/^2[012] Nov 2026, \d\d:\d5$/)
  expect(intervalText(null)).toBe('no interval')
})

test('a run is named by its experiment and its variant', () => {
  expect(runName({ experimentName: 'demo', variant: null })).toBe('demo')
  expect(runName({ experimentName: 'demo', variant: 'large' })).toBe('demo, large')
})
