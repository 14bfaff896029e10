import { describe, expect, test } from 'vitest'
import { compareScript } from '../../../src/files/code/script/compare-script.js'
import { bracketNesting } from '../../../src/files/code/script/parse-script.js'
import type { ComparisonRules } from '../../../src/files/comparator.js'

function compare(reference: string, actual: string, path: string = 'a.tsx', rules: ComparisonRules = {}) {
  return compareScript({ reference, actual, path, rules, inTime: () => true })
}

async function summary(reference: string, actual: string, path?: string, rules?: ComparisonRules) {
  const finding = await compare(reference, actual, path, rules)
  if (finding.by === 'nothing') return [...finding.notes]
  return finding.differences.map(({ kind, member, line }) => `${kind} ${member} ${line}`).sort()
}

describe('equivalent scripts', () => {
  test.each([
    ['quotes', `f("it's", 'a"b')`, `f('it\\'s', "a\\"b")`],
    [
      'semicolons',
      'let a = 1\nfunction f() { return a }\nexport { a }',
      'let a = 1;\nfunction f() { return a; };\nexport { a };',
    ],
    ['leading semicolon', 'const a = 1\n;[a].map(f)', 'const a = 1;\n[a].map(f);'],
    ['semicolon after a block', 'if (a) { b() }\n;(f)()', 'if (a) { b(); }\n(f)();'],
    [
      'trailing commas',
      'f(a, [b, c], { d }, (e) => {})\ntype T = [A, B]',
      'f(a, [b, c,], { d, }, (e,) => {},)\ntype T = [A, B,]',
    ],
    ['type members', 'type T = { a: 1, b(): void }', 'type T = {\n a: 1\n b(): void;\n}'],
    [
      'order of type members',
      'interface A { a: 1; (): void; [k: string]: X }',
      'interface A { [k: string]: X; a: 1; (): void }',
    ],
    ['mapped types', 'type T = { [K in A]: B }', 'type T = { [K in A]: B; }'],
    ['union on many lines', 'type T = A | B', 'type T =\n  | A\n  | B'],
    ['comments', '// a\nf(/* b */) // c', 'f()'],
    ['JSX text', 'x = <a>\n  Hello\n  world\n</a>', 'x = <a>Hello world</a>'],
    ['JSX quotes', `x = <a b='c' />`, 'x = <a b="c" />'],
    ['JSX comments', 'x = <a>{/* b */}<c /></a>', 'x = <a><c /></a>'],
    [
      'functions in blocks',
      'function f() { function a() {}\n function b() {} }',
      'function f() { function b() {}\n function a() {} }',
    ],
    ['methods of class expressions', 'x = class { a() {} b() {} }', 'x = class { b() {} a() {} }'],
    ['stray semicolons in classes', 'class A { a() {}; b = 1 }', 'class A { a() {} b = 1; }'],
    ['types between statements', 'f()\ntype T = 1\ng()', 'type T = 1\nf()\ng()'],
    ['specifiers', 'import d, { a, b as c } from "x"', 'import d, { b as c, a } from "x"'],
    [
      'accessors',
      'class A { get a() { return 1 } set a(v) {} static b() {} }',
      'class A { static b() {} set a(v) {} get a() { return 1 } }',
    ],
  ])('%s', async (_, reference, actual) => {
    expect(await summary(reference, actual)).toEqual([])
    expect(await summary(actual, reference)).toEqual([])
  })

  test('order and grouping of imports on request, side effects apart', async () => {
    const rules = { ignoreImportOrder: true }
    const one = 'import a, { b } from "x"\nimport { c } from "y"\nimport "z"\nimport "w"'
    expect(
      await summary(
        one,
        'import "z"\nimport { c } from "y"\nimport { b } from "x"\nimport "w"\nimport a from "x"',
        'a.js',
        rules,
      ),
    ).toEqual([])
    expect(await summary(one, one.replace('"z"', '"v"'), 'a.js', rules)).toEqual(['differs (module) 3'])
    expect(await summary('import { a } from "x"', 'import a from "x"', 'a.js', rules)).not.toEqual([])
    expect(await summary('import "z"\nimport "w"', 'import "w"\nimport "z"', 'a.js', rules)).toEqual([
      'order (module) 1',
    ])
  })

  test('without a path the dialect is found out', async () => {
    for (const source of ['const a: T = 1', 'const a = <T>b', 'x = <a />', 'const f = <T,>(a: T) => <b />']) {
      const finding = await compareScript({ reference: source, actual: `${source} ;`, rules: {}, inTime: () => true })
      expect(finding).toMatchObject({ by: 'tokens', notes: [], differences: [] })
    }
  })

  test.each([
    ['class A { constructor(@Inject() private readonly b: B) {} }', 'a.ts'],
    ['@a export class B {}', 'a.js'],
    ['abstract class A { abstract a(): void; declare b: string; accessor c = 1 }', 'a.ts'],
    ['export as namespace A\nimport b = require("b")\nexport = b', 'a.d.ts'],
    ['using a = b()\nimport c from "d" with { type: "json" }', 'a.mts'],
    ['return 1', 'a.cjs'],
  ])('reads %s', async (source, path) => {
    expect(await summary(source, `${source}\n// end`, path)).toEqual([])
  })
})

describe('different scripts', () => {
  test.each([
    ['"use strict"\nf()', "'use\\x20strict'\nf()", ['differs (module) 1']],
    ['f(`a`)', 'f("a")', ['differs (module) 1']],
    ['f(0x10)', 'f(16)', ['differs (module) 1']],
    ['// @ts-expect-error\nf()', 'f()', ['differs (module) 1']],
    ['/** @jsx h */\nf()', 'f()', ['missing (module) null']],
    ['#!/usr/bin/env node\nf()', 'f()', ['missing (module) null']],
    [
      'class A { static a() {} #b() {} get c() { return 1 } }',
      'class A {}',
      ['missing A.#b null', 'missing A.get c null', 'missing A.static a null'],
    ],
    ['class A { a = 1; b = 2 }', 'class A { b = 2; a = 1 }', ['order A 1']],
    ['class A { [x]() {} [y]() {} }', 'class A {\n[y]() {} [x]() {} }', ['order A 2']],
    ['class A {}\nclass B {}', 'class B {}\nclass A {}', ['order (module) 1']],
    ['class A extends B { a() {} }', 'export class A extends C { a() {} }', ['header A 1']],
    [
      'function f(a: 1): 1\nfunction f(a: 2): 2\nfunction f(a) { return a }',
      'function f(a: 2): 2\nfunction f(a: 1): 1\nfunction f(a) { return a }',
      ['differs f 1'],
    ],
    ['export default function () {}', 'export default function () { x }', ['differs default 1']],
    ['export function f() {}', 'function f() {}', ['header f 1']],
    ['const a = 1, b = 2', 'const a = 1, b = 3', ['differs (module) 1']],
    ['enum E { A, B }', 'enum E { B, A }', ['differs E 1']],
    ['type A = { a: 1 }', 'interface A { a: 1 }', ['header A 1']],
    ['import type { a } from "x"', 'import { a } from "x"', ['differs (module) 1']],
    ['f()\ng()', 'f()\nh()\ng()', ['unexpected (module) 2']],
    ['x = <a b="1" {...c} />', 'x = <a {...c} b="1" />', ['differs (module) 1']],
    ['x = <a>b  c</a>', 'x = <a>b c</a>', ['differs (module) 1']],
    ['interface A { f(a: 1): 1; f(a: 2): 2 }', 'interface A { f(a: 2): 2; f(a: 1): 1 }', ['differs A.f 1']],
    ['class A { static { a() } }', 'class A {\nstatic { b() } }', ['differs A.static{1} 2']],
    ['(a)', 'a', ['differs (module) 1']],
  ])('%s', async (reference, actual, wanted) => {
    expect(await summary(reference, actual)).toEqual(wanted)
  })

  test('members named like properties of objects are data', async () => {
    const source = 'interface A { __proto__: 1; toString: 2 }\nfunction constructor() {}\nclass B { constructor() {} }'
    expect(await summary('', source)).toEqual(['unexpected A 1', 'unexpected B 3', 'unexpected constructor 2'])
    expect(await summary(source.replace('__proto__: 1;', ''), source)).toEqual(['unexpected A.__proto__ 1'])
  })
})

test.each([
  ['f([1])', 2],
  ["\"((\" + '(\\'(' // ((\n/* (( */ []", 1],
  [`"${'\\\\n'.repeat(3_000_000)}`, 0],
])('the nesting of a script is counted before it is parsed', (source, depth) => {
  expect(bracketNesting(source)).toBe(depth)
})

describe('scripts that do not parse', () => {
  test('are left to their lines', async () => {
    expect(await summary('f(', 'f()')).toMatchObject([
      expect.stringMatching(/^reference does not parse: .* at line 1$/),
    ])
    expect(await summary('a', '(a: string) => 1', 'a.js')).toHaveLength(1)
  })

  test.each(['(', '{', '[', '!', 'a.', '<a>', 'if(a)', 'x=>', '`${', '<T>('])(
    '50,000 times %s ends with a verdict',
    async (unit) => {
      const before = process.cpuUsage()
      expect(await summary(`x=${unit.repeat(50_000)}1`, `x=${unit.repeat(50_000)}2`)).not.toEqual([])
      expect(process.cpuUsage(before).user).toBeLessThan(15_000_000)
    },
  )

  test('exponential sources end when their time is over', async () => {
    const nested = `x = ${'<T>('.repeat(40)}1${')'.repeat(40)}`
    expect(await summary(nested, `${nested}\ny`, 'a.ts')).toContain(
      'workspace does not parse: the parser ran out of time',
    )
  })
})
