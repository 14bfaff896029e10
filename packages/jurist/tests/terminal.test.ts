import { describe, expect, test } from 'vitest'
import { dollars, duration, grouped, percent } from '../src/terminal/amounts.js'
import { safeBlock, safeLine } from '../src/terminal/safe-text.js'
import { table } from '../src/terminal/table.js'
import { terminalOf } from '../src/terminal/terminal.js'
import { fitted, padded, widthOf } from '../src/terminal/width.js'

describe('untrusted text', () => {
  test.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007after', 'after'],
    ['\u001b]8;;http://x\u001b\\\\link', '\\link'],
    ['\u009b2Jx', 'x'],
    ['a\u0000b\u007fc', 'abc'],
    ['a\r\nb\u2028c\rd', 'a\nb\nc\nd'],
    ['\u202eevil', 'evil'],
    ['tab\there', 'tab  here'],
  ])('%j is shown as %j', (text, shown) => expect(safeBlock(text)).toBe(shown))

  test('on one line', () => expect(safeLine('a\n   b\n\nc\n')).toBe('a b c'))
})

describe('widths', () => {
  test.each([
    ['abc', 3],
    ['日本', 4],
    ['e\u0301', 1],
    ['👍', 2],
    ['\u001b[1mab\u001b[22m', 2],
  ])('%j takes %i columns', (text, columns) => expect(widthOf(text)).toBe(columns))

  test('a text is cut to fit, whole characters only', () => {
    expect(fitted('abcdef', 4)).toBe('abc…')
    expect(fitted('日本語', 4, '~')).toBe('日~')
    expect(fitted('abc', 3)).toBe('abc')
    expect(padded('ab', 4, 'right')).toBe('  ab')
  })
})

describe('tables', () => {
  const columns = [
    { title: 'NAME', shrinks: true },
    { title: 'N', align: 'right' as const },
  ]

  test('are as wide as what they hold', () => {
    expect(
      table(
        columns,
        [
          ['a', '10'],
          ['bcdef', '2'],
        ],
        { width: 80 },
      ),
    ).toBe('NAME    N\na      10\nbcdef   2')
  })
  test('give way where they are too wide', () => {
    const [, row = ''] = table(columns, [['x'.repeat(90), '1']], { width: 70 }).split('\n')
    expect(widthOf(row)).toBe(70)
    expect(row).toMatch(/x… {2}1$/)
  })
  test('become lines where there is no room', () => {
    expect(table(columns, [['a', '10']], { width: 59 })).toBe('a\n  N: 10')
  })
})

test('amounts look the same everywhere', () => {
  expect([grouped(1234567), grouped(999), percent(0.7273), percent(null, '-')]).toEqual([
    '1,234,567',
    '999',
    '72.7 %',
    '-',
  ])
  expect([dollars(1234.5), dollars(0), dollars(null)]).toEqual(['$1,234.50', '$0.00', '–'])
  expect([0.001, 0.00123, 0.0099, 0.00999, 0.01, 0.015].map((usd) => dollars(usd))).toEqual([
    '$0.001',
    '$0.0012',
    '$0.0099',
    '$0.01',
    '$0.01',
    '$0.01',
  ])
  expect([0, 14_200, 59_970, 130_000, 7_265_000].map(duration)).toEqual(['0.0s', '14.2s', '1m 00s', '2m 10s', '2h 01m'])
})

describe('what a terminal can show', () => {
  const stream = { isTTY: true, columns: 90, write: () => true }
  const of = (env: Record<string, string>, more: object = {}) =>
    terminalOf({ stdout: stream, stderr: stream, env, ...more })
  const coloured = (env: Record<string, string>, more?: object) => of(env, more).paint.red('x') !== 'x'

  test.each<[Record<string, string>, boolean]>([
    [{}, true],
    [{ NO_COLOR: '1' }, false],
    [{ TERM: 'dumb' }, false],
    [{ TERM: 'dumb', FORCE_COLOR: '1' }, true],
    [{ FORCE_COLOR: '0' }, false],
  ])('colour with %j: %s', (env, colour) => expect(coloured(env)).toBe(colour))

  test('the flag decides against the environment', () => {
    expect(coloured({ FORCE_COLOR: '1' }, { color: false })).toBe(false)
    expect(coloured({ NO_COLOR: '1' }, { color: true })).toBe(true)
  })
  test('no live region in CI', () => {
    expect(of({}).live).toBe(true)
    expect(of({ CI: 'true' }).live).toBe(false)
  })
  test('marks by the locale', () => {
    expect(of({ LANG: 'de_DE.UTF-8' }).unicode).toBe(true)
    expect(of({ LANG: 'de_DE.UTF-8', LC_ALL: 'C' }).unicode).toBe(false)
    expect(of({}).unicode).toBe(true)
  })
})
