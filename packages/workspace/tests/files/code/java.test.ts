import { describe, expect, test } from 'vitest'
import { compareJava, javaTokens } from '../../../src/files/code/java/compare-java.js'

function compare(reference: string, actual: string) {
  return compareJava({ reference, actual, rules: {}, inTime: () => true })
}

async function summary(reference: string, actual: string) {
  const { differences } = await compare(reference, actual)
  return differences.map(({ kind, member, line }) => `${kind} ${member} ${line}`).sort()
}

describe('Java tokens', () => {
  test.each([
    ['a>>=b>>>c>=d', ['a', '>>=', 'b', '>', '>', '>', 'c', '>=', 'd']],
    ['0x1.8p3f 1_000L .5e-3 1.', ['0x1.8p3f', '1_000L', '.5e-3', '1.']],
    ["'\\'' \"a\\\"b\" 'x'", ["'\\''", '"a\\"b"', "'x'"]],
    ['a/**/b//c\n/* d */e', ['a', 'b', 'e']],
    ['größe $x _', ['größe', '$x', '_']],
    ['"open\nx', ['"open', 'x']],
    ['a /* open', ['a', '/', '*', 'open']],
    ['x -> y::z ... @A', ['x', '->', 'y', '::', 'z', '...', '@', 'A']],
    ['"""\n  a\n    b \\\n  c"""', ['"""a\n  b c']],
    ['\\u0069nt a; // \\u000a b', ['int', 'a', ';', 'b']],
    ['"\\\\u0041"', ['"\\\\u0041"']],
  ])('%s', (source, texts) => {
    expect(javaTokens(source).texts).toEqual(texts)
  })

  test('lines are those of the written source', () => {
    const tokens = javaTokens('a\n\\u000a b /*\n*/\nc')
    expect(tokens.texts.map((_, index) => tokens.lineOf(index))).toEqual([1, 2, 4])
  })
})

describe('equivalent Java', () => {
  test.each([
    ['import order', 'import a.B; import c.D; class A {}', 'import c.D; import a.B; import c.D; class A {}'],
    ['modifiers of parameters', 'class A { void f(@X final int a) {} }', 'class A { void f(final @X int a) {} }'],
    [
      'array behind the name',
      'class A { int f(int a[])[] { return a; } }',
      'class A { int[] f(int[] a) { return a; } }',
    ],
    ['annotation pairs', '@A(x = 1, y = {1, 2,}) class B {}', '@A(y = {1, 2}, x = 1) class B {}'],
    ['annotations in bodies', 'class A { void f() { @B() final int x; } }', 'class A { void f() { final @B int x; } }'],
    ['repeated annotations', '@A(1) @A(2) class B {}', '@A(2) @A(1) class B {}'],
    ['supertypes', 'interface A extends B, C<D, E> {}', 'interface A extends C<D, E>, B {}'],
    ['permits', 'sealed interface A permits B, C {}', 'sealed interface A permits C, B {}'],
    ['throws', 'class A { void f() throws B, C {} }', 'class A { void f() throws C, B {} }'],
    ['fields', 'class A { Map<B, C> a, b[]; }', 'class A { Map<B, C>[] b; Map<B, C> a; }'],
    ['initialised fields stay in order', 'class A { int a = 1, b = 2; }', 'class A { int a = 1; int b = 2; }'],
    [
      'static and instance apart',
      'class A { static int a = 1; int b = 2; }',
      'class A { int b = 2; static int a = 1; }',
    ],
    ['text blocks', 'class A { String s = """\n  a\n  """; }', 'class A { String s = """\n      a\n      """; }'],
    ['enum semicolon', 'enum A { B, C; }', 'enum A { B, C }'],
    ['array comma', 'class A { void f() { int[] a = {1, 2,}; } }', 'class A { void f() { int[] a = {1, 2}; } }'],
    ['types', 'class A {} record B(int a) {}', 'record B(int a) {} class A {}'],
    ['directives', 'module m { requires a; exports b to c, d; }', 'module m { exports b to d, c; requires a; }'],
    ['unicode escapes', 'class A { String s = "A"; }', 'class \\u0041 { String s = "\\u0041"; }'],
    ['field and type of one name', 'class A { int B; class B {} }', 'class A { class B {} int B; }'],
  ])('%s', async (_, reference, actual) => {
    expect((await compare(reference, actual)).differences).toEqual([])
    expect((await compare(actual, reference)).differences).toEqual([])
  })
})

describe('different Java', () => {
  test.each([
    [
      'class A { void f(int... a) {} }',
      'class A {\nvoid f(int[] a) {} }',
      ['missing A.f(int...) null', 'unexpected A.f(int[]) 2'],
    ],
    ['record P(int x) { P {} }', 'record P(int x) {\nP { x = 1; } }', ['differs P.P 2']],
    ['record P(int x, int y) {}', 'record P(int y, int x) {}', ['header P 1']],
    ['@interface M { int value() default 1; }', '@interface M {\nint value() default 2; }', ['differs M.value() 2']],
    [
      'class A { class B { void f(Map<String, T> m) {} } }',
      'class A {\nclass B { } }',
      ['missing A.B.f(Map<String,T>) null'],
    ],
    ['class A { A(int a) {} }', 'class A { public A(int a) {} }', ['header A.A(int) 1']],
    [
      'enum C { RED(1), GREEN }',
      'enum C { RED(2),\nBLUE }',
      ['differs C.RED 1', 'missing C.GREEN null', 'unexpected C.BLUE 2'],
    ],
    ['interface A { int a = 1, b = 2; }', 'interface A { int b = 2, a = 1; }', ['order A 1']],
    [
      'class A { static { f(); } int b = 1; { g(); } }',
      'class A { static { f(); } { g(); } int b = 1; }',
      ['order A 1'],
    ],
    ['class A { int a; }', 'class A { int a = 1; }', ['differs A.a 1']],
    ['class A { Object o = "a"; }', 'class A { Object o = """\n a"""; }', ['differs A.o 1']],
    ['import static a.B.*;', 'import a.B.*;', ['missing import static a.B.* null', 'unexpected import a.B.* 1']],
    ['module m { requires a; }', 'module m {\nrequires transitive a; }', ['header requires a 2']],
    ['class A { int f = 1; }', '@X class A { long f = 1; }', ['differs A.f 1', 'header A 1']],
    ['class A { }', 'class A { /* \\u002a/ static { evil(); } /* */ }', ['unexpected A.static{1} 1']],
    ['class A { void f() { x -> 1; } }', 'class A { void f() { (x) -> 1; } }', []],
  ])('%s', async (reference, actual, wanted) => {
    const found = await summary(reference, actual)
    if (wanted.length > 0) expect(found).toEqual([...wanted].sort())
    else expect(found).not.toEqual([])
  })

  test('a file may begin with annotations, stray semicolons and imports of modules', async () => {
    const file = (imports: string, field: string) =>
      `@A({1}) @B package a; ; ${imports}; @C({import_, 2}) class D { int ${field}; } class E {}`
    const [one, other] = ['import module java.base; ; import module_.B', 'import module_.B; import module java.base']
    expect(await compare(file(one, 'x'), file(other, 'x'))).toMatchObject({
      by: 'declarations',
      differences: [],
      notes: [],
    })
    expect(await summary(file(one, 'x'), file('import module_.B', 'x'))).toEqual([
      'missing import module java.base null',
    ])
  })

  test('members named like properties of objects are data', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']
    const body = names.map((name) => `int ${name};`).join(' ')
    expect(await summary('class A {}', `class A { ${body} }`)).toEqual(
      names.map((name) => `unexpected A.${name} 1`).sort(),
    )
  })

  test('messages name the member, its part and the line', async () => {
    const { differences } = await compare('class A { void f() { a(); } }', 'class A {\nvoid f() { b(); } }')
    expect(differences[0]?.message).toBe('A.f() body differs at line 2: expected "a" found "b"')
    const [gone] = (await compare('class A {\nvoid f() {} }', 'class A {}')).differences
    expect(gone).toMatchObject({ message: 'A.f() missing (reference line 2)', line: null, enclosingLine: 1 })
  })

  test('commas in initialisers split fields only where a declarator begins', async () => {
    const one = 'class A { Map<B, C> m = new HashMap<B, C>(), n = g(1, 2); boolean x = a < b, y = c > d; }'
    const two =
      'class A { Map<B, C> m = new HashMap<B, C>(); Map<B, C> n = g(1, 2); boolean x = a < b; boolean y = c > d; }'
    expect(await summary(one, two)).toEqual([])
  })
})

describe('Java that does not parse', () => {
  test('is judged by its tokens, with a note', async () => {
    const finding = await compare('class A { void f() {} }', 'class A {\n void f( {} }')
    expect(finding.by).toBe('tokens')
    expect(finding.notes).toEqual(['workspace does not parse: syntax error at line 2'])
    expect(finding.differences).toMatchObject([{ member: '', line: 2, kind: 'differs' }])
  })

  test.each([
    ['class A {}\nimport a.B;', '"import" is out of place at line 2'],
    ['import a.B;\n\npackage a; class A {}', '"package" is out of place at line 3'],
    ['class A {}\npackage a;', '"package" is out of place at line 2'],
    ['int x = 1; import a.B;', '"import" is out of place at line 1'],
    ['record A(int b) {} ; class C {}\nimport a.B;', '"import" is out of place at line 2'],
    ['import module a.*;', 'syntax error at line 1'],
  ])('%s', async (source, problem) => {
    const finding = await compare('package a; import a.B; class A {}', source)
    expect(finding).toMatchObject({ by: 'tokens', notes: [`workspace does not parse: ${problem}`] })
  })

  test.each(['(', '{', '[', '!', 'List<', 'a.', 'if(a)', 'x->'])(
    '50,000 times %s ends with a verdict',
    async (unit) => {
      const deep = (end: string) => `class A { int x = ${unit.repeat(50_000)}${end}; }`
      const before = process.cpuUsage()
      expect((await compare(deep('1'), deep('2'))).differences).not.toEqual([])
      expect(process.cpuUsage(before).user).toBeLessThan(15_000_000)
    },
  )
})
