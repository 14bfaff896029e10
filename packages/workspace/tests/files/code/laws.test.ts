import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareJava } from '../../../src/files/code/java/compare-java.js'
import { comparePython } from '../../../src/files/code/python/compare-python.js'
import { compareScript } from '../../../src/files/code/script/compare-script.js'
import type { Comparator } from '../../../src/files/comparator.js'

interface Layout {
  readonly gap: readonly string[]
  readonly indent: string
}

interface LanguageUnderTest {
  readonly compare: Comparator
  readonly path: string
  /** A whole file from the members' names, written with a layout. */
  write(names: readonly string[], layout: Layout): string
  /** What may be between two tokens. */
  readonly gaps: readonly string[]
  /** Pieces of nonsense. */
  readonly words: readonly string[]
}

/** Writes a line of tokens separated by one blank with the gaps of a layout instead, taken in turn; `~` stands for two blanks in a string. */
function laidOut(line: string, gap: readonly string[]): string {
  return line
    .split(' ')
    .map((token, index) => token.replace('~', '  ') + (gap[index % gap.length] ?? ' '))
    .join('')
}

const languages: { readonly [name: string]: LanguageUnderTest } = {
  java: {
    compare: compareJava,
    path: 'A.java',
    gaps: [' ', '\n', '\t', ' /* c */ ', ' // c\n'],
    words: [
      'class',
      'A',
      '{',
      '}',
      '(',
      ')',
      ';',
      'int',
      'x',
      '=',
      '"',
      "'",
      '@',
      '<',
      '>',
      ',',
      '/*',
      '\\u007b',
      '"""',
      '.',
    ],
    write: (names, { gap }) => {
      const methods = names.map((name) => `@ A ( 1 ) int ${name} ( List < T > a ) { return ${name} ( a , "x~y" ) ; }`)
      return laidOut(`package p ; import a . B ; class C < T > { ${methods.join(' ')} }`, gap)
    },
  },
  script: {
    compare: compareScript,
    path: 'a.ts',
    gaps: [' ', '  ', '\t', ' /* c */ '],
    words: [
      'class',
      'A',
      '{',
      '}',
      '(',
      ')',
      ';',
      'let',
      'x',
      '=',
      '"',
      "'",
      '@',
      '<',
      '>',
      ',',
      '/*',
      '`',
      '${',
      '=>',
      '\n',
      '/',
    ],
    write: (names, { gap, indent }) => {
      const functions = names.map((name) => `function ${name} ( a : number ) { return ${name} ( a , 'x~y' ) ; }`)
      return functions.map((line) => indent + laidOut(line, gap)).join('\n')
    },
  },
  python: {
    compare: comparePython,
    path: 'a.py',
    gaps: [' ', '  ', '\t', ' \\\n '],
    words: [
      'class',
      'def',
      ':',
      '{',
      '}',
      '(',
      ')',
      ';',
      '\n',
      '  ',
      '=',
      '"',
      "'",
      '@',
      'f"',
      ',',
      '\\',
      '"""',
      '\t',
      'lambda',
      'x',
    ],
    write: (names, { gap, indent }) => {
      const functions = names.map((name) => {
        return `${laidOut(`def ${name} ( a , b = 1 ) :`, gap)}# c\n\n ${indent}${laidOut(`return ${name} ( a , "x~y" )`, gap)}\n`
      })
      return functions.join(`\n${indent}# c\n`)
    },
  },
}

const names = fc.uniqueArray(fc.constantFrom('f', 'g', 'h', '__proto__', 'constructor', 'toString', 'valueOf'), {
  minLength: 1,
})

describe.each(Object.entries(languages))('laws of comparing %s', (_, { compare, path, write, gaps, words }) => {
  const layouts = fc.record({
    gap: fc.array(fc.constantFrom(...gaps), { minLength: 1, maxLength: 7 }),
    indent: fc.constantFrom('', ' ', '   ', '\t'),
  })

  // Every run of a law compares files that have all kinds of tokens.
  const numRuns = 40

  async function differences(reference: string, actual: string) {
    const finding = await compare({ reference, actual, path, rules: {}, inTime: () => true })
    return finding.by === 'nothing' ? undefined : finding.differences
  }

  test('a file equals itself however it is laid out', async () => {
    await fc.assert(
      fc.asyncProperty(names, layouts, layouts, async (of, one, other) => {
        expect(await differences(write(of, one), write(of, other))).toEqual([])
      }),
      { numRuns },
    )
  })

  test('functions may change places', async () => {
    await fc.assert(
      fc.asyncProperty(names, layouts, async (of, layout) => {
        expect(await differences(write(of, layout), write(of.toReversed(), layout))).toEqual([])
      }),
      { numRuns },
    )
  })

  test('a renamed, missing or added function is noticed from both sides', async () => {
    await fc.assert(
      fc.asyncProperty(names, layouts, layouts, async (of, one, other) => {
        const [first, ...rest] = of
        const renamed = await differences(write(of, one), write([`${first}x`, ...rest], other))
        expect(renamed?.map(({ kind }) => kind).sort()).toEqual(['missing', 'unexpected'])
        const added = await differences(write(of, one), write([...of, 'more'], other))
        expect(added?.map(({ kind }) => kind)).toEqual(['unexpected'])
        const missing = await differences(write([...of, 'more'], other), write(of, one))
        expect(missing?.map(({ kind }) => kind)).toEqual(['missing'])
      }),
      { numRuns },
    )
  })

  test('whatever the texts hold, there is an answer, the same from both sides', async () => {
    const soup = fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'binary', maxLength: 3 })), {
      maxLength: 25,
    })
    const text = soup.map((pieces) => pieces.join(' '))
    await fc.assert(
      fc.asyncProperty(text, text, async (one, other) => {
        const there = await differences(one, other)
        const back = await differences(other, one)
        expect(there?.length === 0).toBe(back?.length === 0)
        expect((await differences(one, one)) ?? []).toEqual([])
      }),
      { numRuns: 100 },
    )
  })
})
