import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { defineOperator, mutants, operators } from '../../src/index.js'
import { seededOrder } from '../../src/seeded-order.js'

const listed = async (path: string, source: string) =>
  (await mutants(source, { path })).map(({ operator, original, text }) => `${operator}: ${original} → ${text}`)

describe('mutants', () => {
  test.each([
    ['a.js', 'f(a + b)', ['statement: f(a + b) → ;', 'arithmetic: + → -']],
    ['a.js', "f(a + 'x')", ["statement: f(a + 'x') → ;", "text: 'x' → ''"]],
    ['a.ts', 'const f = (a: 1): a is 2 => (a as 3) /* < */ < b', ['boundary: < → <=', 'relation: < → >=']],
    ['a.js', 'const x = a?.b.sort()', ['call: a?.b.sort() → a?.b']],
    ['a.js', 'const x = Math.max(a, b)', ['method: max → min']],
    ['a.js', 'const x = Math.abs(a)', ['call: Math.abs(a) → (a)']],
    ['a.js', 'const x = 0.5', ['number: 0.5 → 1.5', 'number: 0.5 → (-0.5)']],
    ['a.js', 'const x = 0xff + 1e3', ['arithmetic: + → -']],
    ['a.js', "import a from 'b'\nexport { c } from 'd'", []],
    ['a.py', 'x = a not in b', ['statement: x = a not in b → pass', 'relation: not in → in']],
    ['a.py', 'def f() -> 1:\n    """Doc."""\n    return not a', ['return: not a → None', 'unary: not a → a']],
    ['a.py', 'y = f(b"")', ['statement: y = f(b"") → pass', 'text: b"" → b"mutant"']],
    ['A.java', 'class A { int f() { return 1; } }', ['number: 1 → 2', 'number: 1 → 0']],
    ['A.java', 'class A { String f() { return g; } }', ['return: g → null']],
    ['a.go', '// a < b\nvar x = `c < d` == "e"', ['relation: == → !=']],
    ['a.rs', "fn f<'a>(x: Vec<u8>) -> bool { x > 'b' }", ['boundary: > → >=', 'relation: > → <=']],
    ['a.cpp', 'std::vector<int> a; bool b = true;', ['boolean: true → false']],
    ['A.cs', 'var x = @"a < b" != c;', ['relation: != → ==']],
  ])('%s: %s', async (path, source, expected) => {
    expect(await listed(path, source)).toEqual(expected)
  })

  test('a mutant that differs in layout alone is left out, and one that does not parse', async () => {
    const source = 'export const x = f(a)'
    const edits = ['f( a )', 'f(a', '(f(a))', 'f(b)', 'f(b,)']
    const odd = defineOperator({ name: 'odd', what: 'Odd.', edits: ({ kind }) => (kind === 'call' ? edits : []) })
    expect((await mutants(source, { path: 'a.js', operators: [odd] })).map(({ text }) => text)).toEqual(['f(b)'])
  })

  test('only the lines that the caller names are changed', async () => {
    const found = await mutants('let a = 1\nlet b = 2\n', { path: 'a.js', within: (line) => line === 2 })
    expect(found.map(({ line, original }) => [line, original])).toEqual([
      [2, '2'],
      [2, '2'],
    ])
  })

  test.each([
    ['a.test.js', 'let a = 1', 'or a test'],
    ['a.txt', 'a', 'no source of a language that can be mutated'],
    ['a.js', 'a = = 1', 'a.js: Unexpected token at line 1'],
    ['a.py', 'def f(:', 'a.py: syntax error at line 1'],
  ])('%s is refused', async (path, source, message) => {
    await expect(mutants(source, { path })).rejects.toThrow(message)
  })

  test('every mutant changes what it says, where it says it', async () => {
    const operand = fc.constantFrom('a', '0', '1', "'s'", '[a, b]', 'f(a)', 'Math.min(a, 1)', '!a', 'true')
    const sign = fc.constantFrom('+', '-', '*', '<', '>=', '===', '&&', '||', '??')
    const line = fc.tuple(operand, sign, operand).map(([left, name, right]) => `x = (${left}) ${name} (${right})`)
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 5 }), async (lines) => {
        const source = lines.join('\n')
        for (const { start, end, original, text, line: at } of await mutants(source, { path: 'a.js' })) {
          expect(source.slice(start, end)).toBe(original)
          expect(original).not.toBe(text)
          expect(source.slice(0, start).split('\n').length).toBe(at)
        }
      }),
      { numRuns: 25 },
    )
  })

  test('operators have names of their own', () => {
    expect(new Set(operators.map(({ name }) => name)).size).toBe(operators.length)
    expect(() => defineOperator({ name: 'a b', what: 'x', edits: () => [] })).toThrow('"name"')
  })
})

test('an order by a seed is the same wherever values come from', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string()), fc.string(), (values, seed) => {
      const ordered = seededOrder(values, seed, (value) => value)
      expect(seededOrder(values.toReversed(), seed, (value) => value)).toEqual(ordered)
      expect([...ordered].sort()).toEqual([...values].sort())
    }),
  )
  // Equal on every machine: a change of this order changes which mutants a seed means.
  expect(seededOrder(['a', 'b', 'c', 'd', 'e'], '1', (value) => value)).toEqual(['e', 'a', 'b', 'd', 'c'])
})
