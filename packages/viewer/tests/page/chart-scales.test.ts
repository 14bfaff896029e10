import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bandPath, fittingLabels, linear, linePath, ticksTo, timeTicksTo } from '../../page/charts.js'
import { type Dot, paretoPath, placedNames } from '../../page/session/pareto-chart.js'

describe('the scale of a trend', () => {
  test('maps values to pixels, also from below upwards', () => {
    expect([0, 0.5, 1].map(linear([0, 1], [110, 10]))).toEqual([110, 60, 10])
    expect([-2, 0, 2].map(linear([-2, 2], [6, 26]))).toEqual([6, 16, 26])
  })

  test('has two to five round ticks from 0 that reach the largest value', () => {
    expect(ticksTo(1)).toEqual([0, 0.25, 0.5, 0.75, 1])
    expect(ticksTo(0.37)).toEqual([0, 0.1, 0.2, 0.3, 0.4])
    expect(ticksTo(0)).toEqual([0, 1])
    expect(timeTicksTo(166_000)).toEqual([0, 60_000, 120_000, 180_000])
    expect(timeTicksTo(800)).toEqual([0, 250, 500, 750, 1_000])
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e9, noNaN: true }), fc.boolean(), (most, isTime) => {
        const ticks = (isTime ? timeTicksTo : ticksTo)(most)
        expect(ticks[0]).toBe(0)
        expect(ticks.length).toBeGreaterThanOrEqual(2)
        expect(ticks.length).toBeLessThanOrEqual(6)
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(most * (1 - 1e-9))
      }),
    )
  })

  test('interrupts lines and bands where nothing is known', () => {
    expect(linePath([[22.5, 10], null, [72.5, 110], [97.5, 10], null])).toBe('M22.5 10.0M72.5 110.0L97.5 10.0')
    expect(linePath([])).toBe('')
    expect(bandPath([null, [22.5, 110, 10], [47.5, 60, 10], null, null])).toBe(
      'M22.5 10.0L47.5 10.0L47.5 60.0L22.5 110.0Z',
    )
  })

  test('keeps the labels that fit beside each other, the latest first', () => {
    const labels = [0, 1, 2, 3].map((at) => ({ at, text: 'model' }))
    const x = (at: number) => 22.5 + 25 * at
    expect(fittingLabels(labels, x, { letter: 6, right: 110 }).map(({ at }) => at)).toEqual([1, 3])
    expect(fittingLabels(labels, x, { letter: 1, right: 110 })).toHaveLength(4)
  })
})

describe('the chart of cost and pass rate', () => {
  const dot = (index: number, x: number, y: number): Dot => ({
    ...{ index, id: `${index}`, name: 'a-variant', text: '', low: y, high: y },
    x,
    y,
  })

  test('draws the front in steps', () => {
    expect(paretoPath([dot(0, 10, 80), dot(1, 30, 40)], 100)).toBe('M10 80H30V40H100')
    expect(paretoPath([], 100)).toBe('')
  })

  test('finds a place for a name between others that are close', () => {
    const places = [dot(0, 337, 30), dot(1, 479, 32), dot(2, 479, 31)]
    const rows = placedNames(places, { left: 50, right: 550, top: 0, bottom: 280 }).map(({ nameY }) => nameY)
    expect(new Set(rows).size).toBe(3)
  })

  test('puts no name on another one, and none outside', () => {
    const place = fc.record({ x: fc.integer({ min: 60, max: 540 }), y: fc.integer({ min: 30, max: 270 }) })
    const bounds = { left: 50, right: 550, top: 0, bottom: 280 }
    fc.assert(
      fc.property(fc.array(place, { maxLength: 4 }), (places) => {
        const named = placedNames(
          places.map(({ x, y }, index) => dot(index, x, y)),
          bounds,
        )
        const boxes = named.map(({ nameX, nameY, anchor, name }) => {
          const width = name.length * 6.8
          const from = anchor === 'start' ? nameX : nameX - width
          return { from, to: from + width, y: nameY }
        })
        for (const [index, one] of boxes.entries()) {
          expect(one.from).toBeGreaterThanOrEqual(bounds.left)
          expect(one.to).toBeLessThanOrEqual(bounds.right)
          expect(one.y).toBeGreaterThan(bounds.top)
          expect(one.y).toBeLessThanOrEqual(bounds.bottom)
          for (const other of boxes.slice(index + 1))
            expect(one.from < other.to && other.from < one.to && Math.abs(one.y - other.y) < 14).toBe(false)
        }
      }),
    )
  })
})
