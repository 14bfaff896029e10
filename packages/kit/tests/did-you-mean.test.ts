import { nearestNames, nearestOrAll } from '@jurist/kit/did-you-mean'
import { expect, test } from 'vitest'

const items = ['ITEM-001', 'ITEM-002', 'ITEM-003']

test.each([
  ['ITEM-01', items, ['ITEM-001']],
  ['item-002', items, ['ITEM-002']],
  ['ITME-003', items, ['ITEM-003']],
  ['ITEM-00', items, ['ITEM-001', 'ITEM-002', 'ITEM-003']],
  ['add-redme', ['add-readme', 'fix-bugs'], ['add-readme']],
  ['fix', ['add-readme', 'fix-bugs'], ['fix-bugs']],
  ['f', ['fix-bugs', 'find-bugs'], []],
  ['kb', ['control', 'knowledge'], []],
  ['kb', ['xy'], []],
  ['', items, []],
  ['something else', items, []],
])('%s among %j', (name, known, expected) => {
  expect(nearestNames(name, known)).toEqual(expected)
})

test('gives three at most', () => {
  expect(nearestNames('aa', ['ab', 'ac', 'ad', 'ae'])).toEqual(['ab', 'ac', 'ad'])
})

test('the nearest names as advice, or all there are', () => {
  expect(nearestOrAll('pas', ['pass', 'past', 'fail'])).toBe('Did you mean "pass" or "past"?')
  expect(nearestOrAll('colour', ['pass', 'fail'])).toBe('Available: pass, fail.')
})
