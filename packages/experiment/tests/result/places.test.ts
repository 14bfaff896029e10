import { placesIn } from '@jurist/experiment/internal/results'
import fc from 'fast-check'
import { expect, test } from 'vitest'

test.each([
  ['at fix (src/orders.js:7:3)', 'src/orders.js', 7, 3],
  ['src/orders.js:7: boom', 'src/orders.js', 7, null],
  ['It breaks in orders.js:7.', 'orders.js', 7, null],
  ['./src/orders.js:7:3', 'src/orders.js', 7, 3],
  ['src/app.ts(3,5): error TS2322', 'src/app.ts', 3, 5],
  ['[ERROR] src/main/App.java:[3,5] expected', 'src/main/App.java', 3, 5],
  ['  File "pkg/mod.py", line 12, in f', 'pkg/mod.py', 12, null],
  [' --> src/main.rs:3:5', 'src/main.rs', 3, 5],
  ['./main.go:3:5: undefined: x', 'main.go', 3, 5],
  ['❯ src/ünï/a.test.ts:10:21', 'src/ünï/a.test.ts', 10, 21],
  ["location: '/tmp/jurist-04115b94-ggu-1fci8-U5aOHB/tests/a.test.js:8:1'", 'tests/a.test.js', 8, 1],
  ['(file:///var/tmp/jurist-04115b94-ggu-1fci8-U5aOHB/tests/a.test.js:9:10)', 'tests/a.test.js', 9, 10],
])('finds the place in %j', (text, path, line, column) => {
  const [place] = placesIn(text)
  expect(place).toMatchObject({ path, line, column })
  expect(text.slice(place?.start, place?.end)).toContain(String(line))
})

test.each([
  '/etc/passwd.txt:1',
  'file:///tmp/x/a.js:7:3',
  'http://example.com:8080/a.js:7',
  '../secret.js:1',
  'src/../../secret.js:1',
  'src//a.js:1',
  '/tmp/jurist-04115b94-ggu-1fci8-U5aOHB/../a.js:1',
  '/tmp/jurist-mine/a.js:1',
  '~/a.js:1',
  'node:internal/modules/run.js:12:3',
  'C:\\work\\a.js:1',
  '12:30:15',
  'v1.2.3:4',
  'a.js:0',
  'src/orders:7',
  'a.js:123456789',
])('finds none in %j', (text) => {
  expect(placesIn(text)).toEqual([])
})

const segment = fc.stringMatching(/^[a-z_][a-z0-9_-]{0,8}$/)
const aPath = fc
  .tuple(fc.array(segment, { maxLength: 4 }), segment, fc.constantFrom('js', 'ts', 'py', 'java', 'test.ts'))
  .map(([directories, name, ending]) => [...directories, `${name}.${ending}`].join('/'))

test('finds every place that stands alone, at its position', () => {
  const places = fc.array(fc.tuple(aPath, fc.integer({ min: 1, max: 99_999 }), fc.integer({ min: 1, max: 999 })))
  fc.assert(
    fc.property(places, (named) => {
      const text = named.map(([path, line, column]) => `at f (${path}:${line}:${column})`).join('\n')
      const found = placesIn(text)
      expect(found.map(({ path, line, column }) => [path, line, column])).toEqual(named)
      for (const { start, end, path, line, column } of found)
        expect(text.slice(start, end)).toBe(`${path}:${line}:${column}`)
    }),
  )
})

test('a path found in any text is relative and contained; parts do not overlap', () => {
  const pieces = fc.constantFrom(
    '..',
    '.',
    '/',
    'a.js',
    ':1',
    ':2',
    '(3,4)',
    ' ',
    '"',
    ', line 5',
    '~',
    '\\',
    '\n',
    'src',
  )
  const text = fc.oneof(
    fc.string(),
    fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(text, (given) => {
      let last = 0
      for (const { path, line, start, end } of placesIn(given)) {
        expect(path).not.toMatch(/^[/~]|\\|(?:^|\/)\.{0,2}(?:\/|$)/)
        expect(line).toBeGreaterThan(0)
        expect(start).toBeGreaterThanOrEqual(last)
        last = end
      }
    }),
  )
})

test('a long hostile text takes no longer than its length', () => {
  const pieces = ['=', 'a'.repeat(301), 'a/'.repeat(400), '(', 'a.js:', '",', 'a,', 'a.js:1:']
  for (const piece of pieces) expect(placesIn(piece.repeat(200_000 / piece.length)).length).toBeLessThanOrEqual(200)
  expect(placesIn('a.js:1 '.repeat(1_000))).toHaveLength(200)
})
