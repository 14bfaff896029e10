import { describe, expect, test } from 'vitest'
import { described, pairs, singles, textsOf } from '../agents/repair/mutants.js'
import { seeded } from '../agents/repair/random.js'
import { instrument } from '../agents/repair/statements.js'
import { suspicionOf, suspicions } from '../agents/repair/suspicion.js'
import { applied, spotsOf } from '../agents/repair/syntax.js'

const mutantsOf = (text: string, path = 'a.ts') => singles([{ path, text }], () => 1, seeded(1))
const textsOfAll = (text: string) => mutantsOf(text).map((mutant) => textsOf(mutant)['a.ts'])

describe('mutants of one change', () => {
  test.each([
    ['a < b', 'a <= b'],
    ['a && b', 'a || b'],
    ['a || b', 'a ?? b'],
    ['a && b', 'a'],
    ['x = a - b', 'x = b - a'],
    ['x = a - b', 'x = Math.abs(a - b)'],
    ['x = !a', 'x = a'],
    ['if (a) b()', 'if (!(a)) b()'],
    ['x = 3', 'x = 4'],
    ['x = 3', 'x = 2'],
    ['list[i]', 'list[(i + 1)]'],
    ['f(n)', 'f((n - 1))'],
    ['Math.floor(a)', 'Math.ceil(a)'],
    ['day.getUTCDay()', 'day.getUTCDate()'],
    ['f(a, b)', 'f(b, a)'],
    ['async () => { return f() }', 'async () => { return (await f()) }'],
    ['a.sort()', 'a.sort((a, b) => a - b)'],
    ['a.sort(f)', '[...a].sort(f)'],
    ['return a', 'return { ...a }'],
    ['for (const a of list) f(a)', 'for (const a of [...list]) f(a)'],
    ['a.replace(/b/, c)', 'a.replace(/b/g, c)'],
    ['a.replace(/b+/, c)', 'a.replace(/b*/, c)'],
    ['function f(a, b) { return a }', 'function f(a, b) { return b }'],
    ['{ a(); b(); }', '{ b(); a(); }'],
    ['a ? b : c', 'a ? c : b'],
    ['while (a) { break; }', 'while (a) { continue }'],
    ["x = ' '", "x = ''"],
    ['x = true', 'x = false'],
    ['a.filter(b)', 'return a.filter(b)'],
  ])('%s becomes %s', (before, after) => {
    expect(textsOfAll(before)).toContain(after)
  })

  test('leave types alone', () => {
    const texts = textsOfAll('type A = 1 | 2\nconst a: Array<1> = f() as B')
    expect(texts.every((text) => text?.includes('type A = 1 | 2\nconst a: Array<1>'))).toBe(true)
  })

  test('are all different, and different from the source', () => {
    const text = 'const f = (a, b) => a < b || a === b - 0'
    const texts = textsOfAll(text)
    expect(new Set(texts).size).toBe(texts.length)
    expect(texts).not.toContain(text)
  })

  test('come in the order of suspicion × prior, the same for the same seed', () => {
    const text = 'a < b\nc < d'
    const suspicion = (_: unknown, { start }: { start?: number | null }): number => ((start ?? 0) < 5 ? 0.5 : 1)
    const order = (seed: number) =>
      singles([{ path: 'a.js', text }], suspicion, seeded(seed)).map((mutant) => textsOf(mutant)['a.js'])
    expect(order(1)[0]).toBe('a < b\nc <= d')
    expect(order(1)).toEqual(order(1))
    expect(order(1)).not.toEqual(order(2))
  })

  test('a source that does not parse has none', () => {
    expect(mutantsOf('a <')).toEqual([])
  })

  test('are described by place and change', () => {
    const [mutant] = mutantsOf('const a = 1\nb <= a')
    expect(mutant?.changes.map(described)).toEqual(['a.ts:2 another operator: <= → <'])
  })
})

describe('pairs', () => {
  test('join changes that do not touch, those that helped already first', () => {
    const mutants = mutantsOf('a < b\nc < d')
    const helped = mutants.find((mutant) => textsOf(mutant)['a.ts'] === 'a > b\nc < d')
    const [first] = pairs(mutants, new Set(helped === undefined ? [] : [helped]), 100)
    expect(first === undefined ? undefined : textsOf(first)['a.ts']).toBe('a > b\nc <= d')
    const texts = pairs(mutants, new Set(), 500).map((mutant) => textsOf(mutant)['a.ts'])
    expect(texts).toContain('a <= b\nc <= d')
    expect(texts).not.toContain('a <= b\nc < d')
  })
})

describe('statements that count themselves', () => {
  test.each([
    ['a()\nb()', '$hit(0);a()\n$hit(1);b()'],
    ['if (a) b()\nelse c()', '$hit(0);if (a) {$hit(1);b()}\nelse {$hit(2);c()}'],
    ['for (;;) a()', '$hit(0);for (;;) {$hit(1);a()}'],
    ['f((a) => a)', '$hit(0);f((a) => ($hit(1),a))'],
    ['f(() => ({ a }))', '$hit(0);f(() => (($hit(1),{ a })))'],
    ['if (a) f(() => b)', '$hit(0);if (a) {$hit(1);f(() => ($hit(2),b))}'],
    ['function f() { return 1 }', 'function f() { $hit(0);return 1 }'],
    ["import a from 'b'\nexport const c: D = 1", "import a from 'b'\n$hit(0);export const c: D = 1"],
    ['switch (a) { case 1: b() }', '$hit(0);switch (a) { case 1: $hit(1);b() }'],
  ])('%s', (text, expected) => {
    expect(instrument([{ path: 'a.ts', text }]).sources).toEqual([{ path: 'a.ts', text: expected }])
  })
})

describe('suspicion', () => {
  test("is Ochiai's coefficient", () => {
    const hits = { load: [0], good: [1], bad: [1, 2], worse: [2] }
    const suspicion = suspicions(4, { passed: ['good'], failed: ['bad', 'worse'], hits })
    expect(suspicion[0]).toBeCloseTo(2 / Math.sqrt(2 * 3))
    expect(suspicion[1]).toBeCloseTo(1 / Math.sqrt(2 * 2))
    expect(suspicion[2]).toBe(1)
    expect(suspicion[3]).toBe(0)
  })

  test('of a node is that of the innermost statement around it', () => {
    const source = { path: 'a.js', text: 'if (a) { b }' }
    const { statements } = instrument([source])
    const suspicion = spotsOf(source)
      .filter(({ node }) => node.type === 'Identifier')
      .map(({ node }) => suspicionOf(source, node, statements, [0.25, 0.75]))
    expect(suspicion).toEqual([0.25, 0.75])
  })
})

test('edits at one place keep their order', () => {
  const edits = [
    { start: 1, end: 1, text: 'x' },
    { start: 1, end: 1, text: 'y' },
    { start: 2, end: 3, text: '' },
  ]
  expect(applied('abc', edits)).toBe('axyb')
})
