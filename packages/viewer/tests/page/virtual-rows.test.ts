import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { movedBy } from '../../page/keys.js'
import { offsetsOf, rowAt, rowsIn } from '../../page/virtual-rows.js'

describe('rows of different heights', () => {
  const heights = fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 200 })

  test('are found at their offsets', () => {
    fc.assert(
      fc.property(heights, fc.nat(), fc.double({ min: 0, max: 0.99, noNaN: true }), (all, at, share) => {
        const row = at % all.length
        const offsets = offsetsOf(Float64Array.from(all))
        expect(rowAt(offsets, (offsets[row] ?? 0) + share * (all[row] ?? 0))).toBe(row)
      }),
    )
  })

  test('begin where the one before ends, and stay within the list', () => {
    const offsets = offsetsOf(Float64Array.of(10, 20))
    expect([...offsets]).toEqual([0, 10, 30])
    expect([-50, 900].map((offset) => rowAt(offsets, offset))).toEqual([0, 1])
    expect(rowsIn(offsetsOf(new Float64Array()), 5, 100)).toEqual({ from: 0, to: 0, first: 0, last: 0 })
  })

  test('are drawn where they are in sight, with few others', () => {
    const pixels = fc.integer({ min: 0, max: 3_000 })
    fc.assert(
      fc.property(heights, fc.integer({ min: 0, max: 500_000 }), pixels, (all, top, height) => {
        const offsets = offsetsOf(Float64Array.from(all))
        const { from, to, first, last } = rowsIn(offsets, top, height)
        expect(0 <= from && from <= first && first <= last && last < to && to <= all.length).toBe(true)
        for (const row of all.keys()) {
          const [start = 0, end = 0] = [offsets[row], offsets[row + 1]]
          if (end > top && start < top + height) expect(first <= row && row <= last).toBe(true)
          if (row > from && row < to - 1) expect(end > top - 500 && start < top + height + 500).toBe(true)
        }
      }),
    )
  })
})

const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 }

test.each([
  ['ArrowDown', -1, 0],
  ['ArrowDown', 99, 99],
  ['ArrowUp', 0, 0],
  ['PageDown', 3, 18],
  ['PageUp', 3, 0],
  ['Home', 50, 0],
  ['End', 0, 99],
  ['Home', -1, 0],
  ['End', -1, 99],
  ['Enter', 5, undefined],
  ['toString', 5, undefined],
])('%s moves from row %i of 100 to %s', (key, at, expected) => {
  expect(movedBy(key, at, 100, steps)).toBe(expected)
})

test('an empty list has no row to move to', () => {
  expect(movedBy('ArrowDown', -1, 0, steps)).toBeUndefined()
})
