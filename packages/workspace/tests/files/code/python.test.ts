import { describe, expect, test } from 'vitest'
import { comparePython } from '../../../src/files/code/python/compare-python.js'
import { lexPython } from '../../../src/files/code/python/python-tokens.js'
import type { ComparisonRules } from '../../../src/files/comparator.js'

function compare(reference: string, actual: string, rules: ComparisonRules = {}) {
  return comparePython({ reference, actual, rules, inTime: () => true })
}

async function summary(reference: string, actual: string, rules?: ComparisonRules) {
  const finding = await compare(reference, actual, rules)
  if (finding.by === 'nothing') return [...finding.notes]
  return finding.differences.map(({ kind, member, line }) => `${kind} ${member} ${line}`).sort()
}

describe('Python tokens', () => {
  test.each([
    ['if x:\n  y\n', ['if', 'x', ':', '(newline)', '(indent)', 'y', '(newline)', '(dedent)']],
    ['a = (1,\n\n  # c\n 2)', ['a', '=', '(', '1', ',', '2', ')', '(newline)']],
    ['a \\\n + b', ['a', '+', 'b', '(newline)']],
    ["U'x' b\"y\" '''z'''", ['u"x"', 'b"y"', '"z"', '(newline)']],
    ["r'x' f'{a[\"b\"]!r:>{w}}' 'it\\'s'", ["r'x'", 'f\'{a["b"]!r:>{w}}\'', "'it\\'s'", '(newline)']],
    ["f'{a['b']}' c", ["f'{a['b']}'", 'c', '(newline)']],
    ['a//=b**c->d:=e...', ['a', '//=', 'b', '**', 'c', '->', 'd', ':=', 'e', '...', '(newline)']],
    ['1_0j 0xFF 1.e5 .5', ['1_0j', '0xFF', '1.e5', '.5', '(newline)']],
  ])('%s', (source, texts) => {
    expect(lexPython(source).tokens.map(({ text }) => text)).toEqual(texts)
  })

  test.each([
    ['if a:\n        b\n\tc\n', 'inconsistent use of tabs and spaces'],
    ['if a:\n    b\n  c\n', 'unindent does not match any outer indentation level'],
  ])('what Python refuses: %j', async (source, message) => {
    expect(lexPython(source).problem).toEqual({ message, line: 3 })
    expect(await summary('if a:\n    b\n    c\n', source)).not.toEqual([])
  })
})

describe('equivalent Python', () => {
  test.each([
    ['width of indents', 'if a:\n  if b:\n    c\n', 'if a:\n\tif b:\n\t\tc\n'],
    ['joined statements', 'a; b;\nif c: d; e\n', 'a\nb\nif c:\n  d\n  e\n'],
    ['lambda in a header', 'if (lambda: 1)(): a\n', 'if (lambda: 1)():\n  a\n'],
    ['match', 'match a:\n  case 1: b\n  case _:\n    c\n', 'match a:\n  case 1:\n    b\n  case _: c\n'],
    [
      'trailing commas',
      'f(a)\n[b]\n{c: d}\n(e, f)\nx[g]\nfrom h import (i)\n',
      'f(a,)\n[b,]\n{c: d,}\n(e, f,)\nx[g]\nfrom h import (i,)\n',
    ],
    ['bare tuples', 'a = 1, 2\n', 'a = 1, 2,\n'],
    ['parameters of a lambda', 'lambda a: a\nx[lambda a, b=1: a]\n', 'lambda a,: a\nx[lambda a, b=1,: a]\n'],
    ['a tuple that ends in a lambda', '(a, lambda b=1: b)\n', '(a, lambda b=1: b,)\n'],
    ['a subscript with a slice', 'x[a, b:c]\n', 'x[a, b:c,]\n'],
    ['what a loop goes through', 'for x in 1, 2:\n  y\n', 'for x in 1, 2,:\n  y\n'],
    ['the targets of a loop', 'for a, b in x: y\n', 'for a, b, in x: y\n'],
    ['the targets of a comprehension', '[a for a, b in x]\n', '[a for a, b, in x]\n'],
    ['a tuple with a membership', '(a, b in c)\n', '(a, b in c,)\n'],
    ['the subject of a match', 'match a, b:\n  case 1, 2: c\n', 'match a, b,:\n  case 1, 2,: c\n'],
    ['comments and blank lines', 'a\n# b\n\nc # d\n', 'a\nc\n'],
    ['no last line end', 'a\n', 'a'],
    ['order of functions', 'def a(x=1): pass\ndef b(): pass\n', 'def b(): pass\ndef a(x=1): pass\n'],
    [
      'order of methods',
      'class A:\n  def a(self): pass\n  def b(self): pass\n',
      'class A:\n  def b(self): pass\n  def a(self): pass\n',
    ],
    [
      'order of inner functions',
      'def f():\n  def a(): pass\n  def b(): pass\n  return a\n',
      'def f():\n  def b(): pass\n  def a(): pass\n  return a\n',
    ],
  ])('%s', async (_, reference, actual) => {
    expect(await summary(reference, actual)).toEqual([])
    expect(await summary(actual, reference)).toEqual([])
  })

  test.each([
    'f.x = 1',
    'f[0] = 1',
    'd[f] = 1',
    'f.x += 1',
    'del f.x',
    'x: f = 1',
    'a, f.b = 1',
    'x = y = f',
    'x = lambda f=1: f',
    'from f import x',
    'import x as y, z.f',
    'from m import f as h',
    'for d[f] in x: pass',
    'with f as h, f: pass',
    'match x:\n  case f.A | f(f=1): pass',
  ])('functions may change places beside %s, which does not bind their names', async (line) => {
    const [one, other] = ['def f(): pass\n', 'def g(): pass\n']
    expect(await summary(`${one}${other}${line}\n`, `${other}${one}${line}\n`)).toEqual([])
    expect(await summary(`${line}\n${one}${other}`, `${line}\n${other}${one}`)).toEqual([])
  })

  test('the leading imports as a set, on request', async () => {
    const rules = { ignoreImportOrder: true }
    expect(
      await summary('"""d"""\nimport a\nfrom b import c\nd\n', '"""d"""\nfrom b import c\nimport a\nd\n', rules),
    ).toEqual([])
    expect(await summary('import a\nd\nimport b\n', 'import b\nd\nimport a\n', rules)).not.toEqual([])
  })
})

describe('different Python', () => {
  test.each([
    ['x = (1,)\n', 'x = (1)\n', ['differs (module) 1']],
    ['x[1,]\n', 'x[1]\n', ['differs (module) 1']],
    ['return_ = 1,\n', 'return_ = 1\n', ['differs (module) 1']],
    ['for x in 1,: y\n', 'for x in 1: y\n', ['differs (module) 1']],
    ['for x, in 1, 2: y\n', 'for x in 1, 2: y\n', ['differs (module) 1']],
    ['[x for x, in y]\n', '[x for x in y]\n', ['differs (module) 1']],
    ['match a,:\n  case 1: b\n', 'match a:\n  case 1: b\n', ['differs (module) 1']],
    ['x[a, b][1,:]\n', 'x[a, b][1:]\n', ['differs (module) 1']],
    ['x[a:b,]\n', 'x[a:b]\n', ['differs (module) 1']],
    ['(lambda a, b: a,)\n', '(lambda a, b: a)\n', ['differs (module) 1']],
    ['match (a,):\n  case b: pass\n', 'match (a):\n  case b: pass\n', ['differs (module) 1']],
    ['@a\n@b\ndef f(): pass\n', '@b\n@a\ndef f(): pass\n', ['header f 1']],
    ['@a\ndef f(): pass\n@a\ndef g(): pass\n', '@a\ndef g(): pass\n@a\ndef f(): pass\n', ['order (module) 1']],
    ['def f(x=a): pass\ndef g(): pass\n', 'def g(): pass\ndef f(x=a): pass\n', ['order (module) 1']],
    ['def f(): pass\ndef g(): pass\nf = 1\n', 'def g(): pass\ndef f(): pass\nf = 1\n', ['order (module) 1']],
    ['class A(B): pass\n', 'class A(C): pass\n', ['header A 1']],
    ['class A:\n  x = 1\n  y = 2\n', 'class A:\n  y = 2\n  x = 1\n', ['order A 2']],
    ['class A:\n  x = 1\n', 'class A:\n  x = 2\n', ['differs A 2']],
    ['def f(): a\ndef f(): b\n', 'def f(): a\ndef f(): c\n', ['differs f#2 2']],
    [
      'class A:\n  class B:\n    def c(self): pass\n',
      'class A:\n  class B:\n    pass\n',
      ['missing A.B.c null', 'unexpected A.B 3'],
    ],
    ['def f(a): pass\n', 'async def f(a, b): pass\n', ['differs f 1', 'header f 1']],
    ['x = f"a"\n', "x = f'a'\n", ['differs (module) 1']],
    ['x = {1: 2, 3: 4}\n', 'x = {3: 4, 1: 2}\n', ['differs (module) 1']],
    ['f(a=1, b=2)\n', 'f(b=2, a=1)\n', ['differs (module) 1']],
    ['def __proto__(): pass\n', 'def constructor(): pass\n', ['missing __proto__ null', 'unexpected constructor 1']],
  ])('%s', async (reference, actual, wanted) => {
    expect(await summary(reference, actual)).toEqual(wanted)
  })
})

describe('functions whose names are bound again keep their order', () => {
  test.each([
    'f = 1',
    'f += 1',
    'f: int = 1',
    'x = f = 1',
    'x, *f = y',
    '[x, (f, z)] = y',
    'd[x], f = y',
    'from m import (x, y as f)',
    'import f.x',
    'import f',
    'from f import x as f',
    'del f',
    'global f',
    'for f in x: pass',
    'async for (x, f) in y: pass',
    'with x as (y, f): pass',
    'with (x() as y, z as f): pass',
    'try: pass\nexcept X as f: pass',
    'print(f := 1)',
    'match x:\n  case f: pass',
    'match x:\n  case A(b=f) if g: pass',
    'type f = int',
    'if x:\n  f = 1',
  ])('%s', async (line) => {
    const [one, other] = ['def f(): pass\n', 'def g(): pass\n']
    expect(await summary(`${one}${other}${line}\n`, `${other}${one}${line}\n`)).toEqual(['order (module) 1'])
  })
})

describe('Python that does not parse', () => {
  test('is judged by its tokens, with a note', async () => {
    const finding = await compare('def f(): pass\n', 'x\ndef f(: pass\n')
    expect(finding).toMatchObject({ by: 'tokens', differences: [{ member: '', kind: 'differs', line: 1 }] })
    expect(finding.notes).toEqual(['workspace does not parse: syntax error at line 2'])
  })

  test('another encoding is left to the lines, because comments could be code', async () => {
    const note = 'workspace does not parse: the encoding "utf-7" is not UTF-8 at line 1'
    expect(await summary('a\n', '# coding: utf-7\na\n')).toEqual([note])
    expect(await summary('a\n', '#!x\n# -*- coding: UTF-8 -*-\na\n')).toEqual([])
  })

  test.each(['(', '[', '{', 'not ', 'a.', 'lambda:', "f'{", 'f"{'])(
    '50,000 times %s ends with a verdict',
    async (unit) => {
      const before = process.cpuUsage()
      expect(await summary(`x = ${unit.repeat(50_000)}1\n`, `x = ${unit.repeat(50_000)}2\n`)).not.toEqual([])
      expect(process.cpuUsage(before).user).toBeLessThan(15_000_000)
    },
  )
})
