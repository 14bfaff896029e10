import { expect, test } from 'vitest'
import { groupedChecks } from '../src/answers/check-groups.js'

test('failed checks with the same reason are grouped; those without a reason are not', () => {
  const check = (name: string, message: string, passed = false) => ({ name, message, passed })
  const { failed, passed } = groupedChecks([
    check('a', 'too long'),
    check('b', ''),
    check('c', 'fine', true),
    check('d', ' too long\n'),
    check('e', ''),
  ])
  expect(failed.map(({ message, checks }) => [message, checks.map(({ name }) => name)])).toEqual([
    ['too long', ['a', 'd']],
    ['', ['b']],
    ['', ['e']],
  ])
  expect(passed.map(({ name }) => name)).toEqual(['c'])
})
