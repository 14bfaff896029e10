import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hunks } from '../../src/llm/judges/hunks.js'
import { lineDiff } from '../../src/llm/judges/line-diff.js'

const sideOf = (lines: ReturnType<typeof lineDiff>, without: 'removed' | 'added') =>
  lines.filter(({ kind }) => kind !== without).map(({ text }) => text)
const editsOf = (lines: ReturnType<typeof lineDiff>) => lines.filter(({ kind }) => kind !== 'same').length

/** The length of the longest common subsequence, by the table that every textbook has. */
function commonLength(a: readonly string[], b: readonly string[]): number {
  let above: number[] = new Array(b.length + 1).fill(0)
  for (const line of a) {
    const row = [0]
    b.forEach((other, index) => {
      row.push(line === other ? (above[index] ?? 0) + 1 : Math.max(above[index + 1] ?? 0, row[index] ?? 0))
    })
    above = row
  }
  return above.at(-1) ?? 0
}

describe('a line difference', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 14 })
  test('leads from one text to the other, by as few edits as there can be', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = lineDiff(before, after)
        expect(sideOf(diff, 'added')).toEqual(before)
        expect(sideOf(diff, 'removed')).toEqual(after)
        expect(editsOf(diff)).toBe(before.length + after.length - 2 * commonLength(before, after))
      }),
      { numRuns: 500 },
    )
  })
  test('gives up on texts that have little in common, and still leads from one to the other', () => {
    const before = Array.from({ length: 3_000 }, (_, index) => `old ${index}`)
    const after = Array.from({ length: 3_000 }, (_, index) => (index === 1_500 ? 'old 7' : `new ${index}`))
    const diff = lineDiff(['same', ...before], ['same', ...after])
    expect(sideOf(diff, 'added')).toEqual(['same', ...before])
    expect(sideOf(diff, 'removed')).toEqual(['same', ...after])
    expect(diff[0]).toEqual({ kind: 'same', text: 'same' })
  })
  test('is shown with three lines around each change', () => {
    const before = Array.from({ length: 30 }, (_, index) => `${index + 1}`)
    const after = before.with(4, 'five').toSpliced(20, 1)
    expect(hunks(lineDiff(before, after)).split('\n')).toEqual([
      '@@ -2 +2 @@',
      ' 2',
      ' 3',
      ' 4',
      '-5',
      '+five',
      ' 6',
      ' 7',
      ' 8',
      '@@ -18 +18 @@',
      ' 18',
      ' 19',
      ' 20',
      '-21',
      ' 22',
      ' 23',
      ' 24',
    ])
    expect(hunks(lineDiff(before, before))).toBe('')
  })
})
