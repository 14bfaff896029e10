import { fitted, padded, safeBlock, safeLine, stylesFor, textTable, widthOf, wrappedLines } from '@jurist/kit/terminal'
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
    expect(row).toMatch(/x…x+ {2}1$/)
  })
  test('never cut numbers', () => {
    expect(textTable(columns, [['a', '1'.repeat(90)]], { width: 70 })).toContain('1'.repeat(90))
  })
  test('cells are cut nowhere: its cells continue on further lines', () => {
    const columns = [{ title: 'ID', shrinks: false }, { title: 'WHY' }, { title: 'N', align: 'right' }] as const
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
        const [, ...lines] = textTable([{ title: 'A' }], [[words.join(' ')]], { width: 60 }).split('\n')
        expect(lines.join(' ')).toBe(words.join(' '))
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(60)
      }),
    )
  })

  test('leave out columns before a name is shortened, and say so', () => {
    const judges = [
      { title: 'ITEM' },
      { title: 'first', align: 'right', drops: 1 },
      { title: 'second', align: 'right', drops: 2 },
    ] as const
    const row = ['payments-refund-partial-01', '1.00', '0.50']
    const at = (width: number) => textTable(judges, [row], { width, hint: ({ length }) => `${length} more` })
    expect(at(41)).toBe('ITEM                        first  second\npayments-refund-partial-01   1.00    0.50')
    expect(at(40)).toBe('ITEM                        first\npayments-refund-partial-01   1.00\n1 more')
    expect(at(32)).toBe('ITEM\npayments-refund-partial-01\n2 more')
    expect(at(20)).toBe('ITEM\npayments-r…artial-01\n2 more')
  })

  test('become lines where there is no room', () => {
    expect(textTable(columns, [['a', '1'.repeat(9)]], { width: 9 })).toBe(`a\n  N: ${'1'.repeat(9)}`)
  })
})

describe('lines that wrap', () => {
  test('go on under the text after a label', () => {
    expect(wrappedLines('a long line of 95 %, by item', 18)).toBe('a long line of\n95 %, by item')
    expect(wrappedLines('  Cost   one two three', 15)).toBe('  Cost   one\n     two three')
    expect(wrappedLines('  Cost  one two three four five', 24)).toBe('  Cost  one two three\n        four five')
  })
  test('keep every word, and none is wider than asked for unless it is one word', () => {
    const words = fc.array(fc.stringMatching(/^\S{1,30}$/).map(safeLine), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(words, fc.integer({ min: 20, max: 80 }), (parts, width) => {
        const lines = wrappedLines(parts.join(' '), width).split('\n')
        expect(lines.join(' ').split(/ +/)).toEqual(parts.join(' ').split(/ +/))
        for (const line of lines) if (/\S \S/.test(line)) expect(widthOf(line)).toBeLessThanOrEqual(width)
      }),
    )
  })
})

describe('styles', () => {
  test('are escape sequences where the terminal shows them', () => {
    expect(stylesFor(true).bold('a')).toBe('\u001b[1ma\u001b[22m')
    expect(stylesFor(true).red('')).toBe('')
    expect(stylesFor(false).red('a')).toBe('a')
  })
})
