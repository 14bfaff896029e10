import fc from 'fast-check'
import { expect, test } from 'vitest'
import { movedCursor, rowHeight, rowWindow } from '../page/run/row-window.js'

test('every visible row is drawn, and few others', () => {
  const pixels = fc.integer({ min: 0, max: 5_000_000 })
  fc.assert(
    fc.property(
      pixels,
      fc.integer({ min: 0, max: 3_000 }),
      fc.integer({ min: 0, max: 100_000 }),
      (top, height, total) => {
        const { from, to } = rowWindow({ top, height }, total)
        expect(from).toBeGreaterThanOrEqual(0)
        expect(to).toBeLessThanOrEqual(total)
        expect(to - from).toBeLessThanOrEqual(Math.ceil(height / rowHeight) + 24)
        const visible = Math.min(Math.floor(top / rowHeight), total - 1)
        if (total > 0) expect(from <= visible && visible < to).toBe(true)
      },
    ),
  )
})

test.each([
  ['ArrowDown', -1, 0],
  ['ArrowDown', 99, 99],
  ['ArrowUp', 0, 0],
  ['PageDown', 3, 18],
  ['PageUp', 3, 0],
  ['Home', 50, 0],
  ['End', 0, 99],
  ['Enter', 5, undefined],
  ['toString', 5, undefined],
])('%s moves the cursor from row %i of 100 to %s', (key, cursor, expected) => {
  expect(movedCursor(key, cursor, 100)).toBe(expected)
})

test('an empty table has no row to move to', () => {
  expect(movedCursor('ArrowDown', -1, 0)).toBeUndefined()
})
