import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lineDiff } from '../src/line-diff.js'

const line = fc.constantFrom('a', 'b', 'c', '')
const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.map((one) => `${one}\n`).join(''))
const side = (lines: ReturnType<typeof lineDiff>, left: 'removed' | 'added') =>
  lines.flatMap(({ kind, text }) => (kind === left || kind === 'same' ? [`${text}\n`] : [])).join('')

test('both texts are in their difference, in order', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineDiff(before, after)
      expect(side(lines, 'removed')).toBe(before)
      expect(side(lines, 'added')).toBe(after)
    }),
  )
})

test('lines are numbered on their own side, from 1', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineDiff(before, after)
      const numbers = (key: 'before' | 'after') => lines.flatMap((one) => one[key] ?? [])
      expect(numbers('before')).toEqual(numbers('before').map((_, index) => index + 1))
      expect(numbers('after')).toEqual(numbers('after').map((_, index) => index + 1))
    }),
  )
})

test('no more is changed than must be', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const [a, b] = [before.split('\n').slice(0, -1), after.split('\n').slice(0, -1)]
      const changed = lineDiff(before, after).filter(({ kind }) => kind !== 'same').length
      expect(changed).toBe(a.length + b.length - 2 * longestCommon(a, b))
    }),
  )
})

test('texts that have nothing in common end soon', () => {
  const numbered = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word} ${index}\n`).join('')
  const lines = lineDiff(numbered('old'), numbered('new'))
  expect(lines).toHaveLength(40_000)
})

/** The length of the longest common subsequence, by the textbook. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  const best = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0))
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      best[i]![j] = a[i] === b[j] ? best[i + 1]![j + 1]! + 1 : Math.max(best[i + 1]![j]!, best[i]![j + 1]!)
  return best[0]![0]!
}
