import { excerptOf } from '@jurist/experiment/internal/results'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const many = (count: number) => Array.from({ length: count }, (_, index) => `ok ${index + 1}`)

describe('the excerpt of an output', () => {
  test('is a part of its lines, with the number of the others', () => {
    const line = fc.constantFrom('ok 1', 'not ok 2 - x', '', '  at f (a.js:1:2)', '\u001b[31m✗\u001b[39m sums')
    fc.assert(
      fc.property(fc.array(line, { maxLength: 120 }), fc.integer({ min: 4, max: 40 }), (lines, most) => {
        const { lines: shown, before, after, key } = excerptOf([...lines, 'end'].join('\n'), most)
        expect([...lines, 'end'].slice(before, before + shown.length)).toEqual(shown)
        expect(before + shown.length + after).toBe(lines.length + 1)
        expect(shown.length).toBeLessThanOrEqual(most)
        const tap = lines.findIndex((one) => one.includes('not ok'))
        const first = tap >= 0 ? tap : lines.findIndex((one) => one.includes('✗'))
        expect(key === null ? -1 : key + before).toBe(first)
        if (key !== null) expect(shown[key]).toBe(lines[first])
      }),
    )
  })

  test.each([
    'not ok 2 - counts whole cents',
    '    not ok 1 - nested',
    '✗ orders > total',
    '\u001b[31m✖\u001b[39m fails',
    'FAIL src/orders.test.ts',
    '--- FAIL: TestTotal (0.00s)',
    'E       assert 1 == 2',
    'TypeError: Cannot read properties of undefined',
    'src/app.ts(3,5): error TS2322: Type',
    'error[E0308]: mismatched types',
    'java.lang.IllegalStateException: gone',
  ])('begins just before %j', (line) => {
    const { lines, key, before } = excerptOf([...many(100), line, ...many(100)].join('\n'), 24)
    expect(before).toBe(99)
    expect(lines[key ?? -1]).toBe(line)
  })

  test.each(['0 errors, 0 warnings', 'ok 3 - throws an error', '# fail 0', 'no failures'])(
    'does not take %j for a failure',
    (line) => {
      expect(excerptOf(line, 24).key).toBeNull()
    },
  )

  test('is the end where no line shows a failure', () => {
    const { lines, before, after } = excerptOf(many(100).join('\n'), 10)
    expect([lines.at(-1), before, after]).toEqual(['ok 100', 90, 0])
  })
})
