import { fitted, padded, safeBlock, safeLine, stylesFor, textTable, widthOf } from '@jurist/kit/terminal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

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

  test('holds nothing that a terminal would execute, whatever it was made of', () => {
    const pieces = fc.constantFrom(
      '\u001b',
      '\u009b',
      '[',
      ']0;',
      '31m',
      '\u0007',
      '\u001b\\',
      'P',
      '_',
      'x',
      '\u202e',
      '\r',
      '\b',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string({ unit: 'binary' }))), (parts) => {
        expect(safeBlock(parts.join(''))).not.toMatch(/(?!\n)[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
        expect(safeLine(parts.join(''))).not.toMatch(/\n/)
      }),
    )
  })
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
  test('a cut text is never wider than asked for', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat({ max: 20 }), (text, width) => {
        expect(widthOf(fitted(safeLine(text), width))).toBeLessThanOrEqual(width)
      }),
    )
  })
  test('a cut text loses its styles, so that none stays open', () => {
    expect(fitted(stylesFor(true).red('abcdef'), 4)).toBe('abc…')
  })
})

describe('tables', () => {
  const columns = [
    { title: 'NAME', shrinks: true },
    { title: 'N', align: 'right' as const },
  ]

  test('are as wide as what they hold', () => {
    expect(
      textTable(
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
    const [, row = ''] = textTable(columns, [['x'.repeat(90), '1']], { width: 70 }).split('\n')
    expect(widthOf(row)).toBe(70)
    expect(row).toMatch(/x… {2}1$/)
  })
  test('never cut numbers', () => {
    const [, row = ''] = textTable(columns, [['a', '1'.repeat(90)]], { width: 70 }).split('\n')
    expect(row).toContain('1'.repeat(90))
  })
  test('a column that wraps is cut nowhere: its cells continue on further lines', () => {
    const columns = [
      { title: 'ID', shrinks: false },
      { title: 'WHY', wraps: true },
      { title: 'N', align: 'right' },
    ] as const
    const reason = 'not tried: the workspaces have no sandbox, so that commands reach everything'
    expect(textTable(columns, [['T.5', reason, '3']], { width: 60 })).toBe(
      [
        `ID   WHY${' '.repeat(49)}  N`,
        'T.5  not tried: the workspaces have no sandbox, so that    3',
        '     commands reach everything',
      ].join('\n'),
    )
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1, maxLength: 60 }), (words) => {
        const [, ...lines] = textTable([{ title: 'A', wraps: true }], [[words.join(' ')]], { width: 60 }).split('\n')
        expect(lines.join(' ')).toBe(words.join(' '))
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(60)
      }),
    )
  })

  test('become lines where there is no room', () => {
    expect(textTable(columns, [['a', '10']], { width: 59 })).toBe('a\n  N: 10')
  })
})

describe('styles', () => {
  test('are escape sequences where the terminal shows them', () => {
    expect(stylesFor(true).bold('a')).toBe('\u001b[1ma\u001b[22m')
    expect(stylesFor(true).red('')).toBe('')
    expect(stylesFor(false).red('a')).toBe('a')
  })
})
