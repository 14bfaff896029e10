import { expect, test } from 'vitest'
import { javaVariants, pythonVariants } from '../../src/variants/grammar-variants.js'
import { scriptVariants } from '../../src/variants/script-variants.js'
import { type Variant, varied } from '../../src/variants/variant.js'

const script = `import { b, a } from './other.js'
// A remark.
export function first(list) {
  let { size } = list
  while (size > a) size -= 1
  if (size === b) return { size }
  return first(list.next)
}
export function second() {
  throw new RangeError('the list must be long')
}
`
const python = `import re
import json

_rate = 2

def first(text):
    if text == "":
        return []
    found = re.findall("x", text)
    return [one for one in found if not (one == "a" or one == "b")]

def second(count):
    raise ValueError("a count must be positive")
`
const java = `import java.util.List;
import java.util.Map;
class Cart {
  private int sum = 0;
  int first(int price) { int twice = price * 2; while (twice > price) twice--; return twice; }
  int second() { if (sum < 3) throw new IllegalStateException("a cart must be filled"); return sum; }
}
`

test.each([
  ['JavaScript', () => scriptVariants(script, 'a.js', () => false), script],
  ['Python', () => pythonVariants(python, () => false), python],
  ['Java', () => javaVariants(java), java],
])('the kinds of %s, as plain data', async (name, make, source) => {
  const variants: readonly Variant[] = await make()
  const kinds = [...new Set(variants.map(({ kind }) => kind))].sort()
  const everywhere = [
    'comments',
    'equal-expression',
    'layout',
    'message',
    'order-declarations',
    'order-imports',
    'rename-local',
  ]
  expect(kinds).toEqual(expect.arrayContaining(everywhere))
  expect(kinds).toEqual(
    expect.arrayContaining(name === 'Java' ? ['loop-form', 'rename-private'] : ['error-subtype', 'loop-form']),
  )
  expect(JSON.parse(JSON.stringify(variants))).toEqual(variants)
  for (const { edits } of variants)
    for (const edit of edits) expect(Object.keys(edit).sort()).toEqual(['end', 'start', 'text'])
  expect(new Set(variants.map((variant) => varied(source, variant))).size).toBe(variants.length)
})

test.each([
  ['a shorthand keeps its key', 'export function f() {\n  const size = 1\n  return { size }\n}', '{ size: size2 }'],
  ['a pattern keeps its key', 'export const f = ({ size = 1 }) => size', '{ size: size2 = 1 }) => size2'],
  ['members keep their names', 'export const f = (size) => size.size', '(size2) => size2.size'],
])('rename-local: %s', async (_, source, expected) => {
  const renamed = (await scriptVariants(source, 'a.js', () => false)).filter(({ kind }) => kind === 'rename-local')
  expect(renamed.map((variant) => varied(source, variant))).toEqual([expect.stringContaining(expected)])
})

test.each([
  ['JavaScript that is run as text', 'export const f = (size) => eval("size")', 'a.js'],
  ['a name that is declared twice', 'export function f(size) {\n  { const size = 1 }\n  return size\n}', 'a.js'],
  ['a type of the same name', 'export function f(size: number): asserts size {}', 'a.ts'],
])('rename-local leaves out %s', async (_, source, path) => {
  const names = (await scriptVariants(source, path, () => false)).flatMap(({ kind, what, edits }) =>
    kind === 'rename-local' && edits.some(({ start }) => start < 30) ? [what] : [],
  )
  expect(names).toEqual([])
})

test.each([
  ['a name that is printed beside its value', 'def f(n):\n    size = n\n    return f"{size=}"\n'],
  ['a name that is looked up', 'def f(n):\n    size = n\n    return locals()\n'],
  ['a parameter, which callers may name', 'def f(size):\n    return size\n'],
])('rename-local leaves out, in Python, %s', async (_, source) => {
  const variants = await pythonVariants(source, () => false)
  expect(variants.filter(({ kind }) => kind === 'rename-local')).toEqual([])
})

test('rename-local leaves out, in Java, the parameters of a constructor: those of a record have its names', async () => {
  const source = 'record Money(long cents) {\n  public Money(long cents) { this.cents = cents; }\n}\n'
  expect((await javaVariants(source)).filter(({ kind }) => kind === 'rename-local')).toEqual([])
})

const inFunction = (code: string) => `export function f(xs, k) {\n  return ${code}\n}\n`
const inDefinition = (code: string) => `def f(xs, k):\n    ${code}\n`

test.each([
  ['a.mjs', inFunction('xs.some((x) => x > k)'), '(xs.filter((x) => x > k).length > 0)'],
  ['a.mjs', inFunction('xs.every((x) => x > k)'), '(xs.filter((...one) => !((x) => x > k)(...one)).length === 0)'],
  ['a.mjs', inFunction('xs.find((x) => x > k)'), 'xs.filter((x) => x > k)[0]'],
  ['a.mjs', inFunction('xs.includes(k)'), '(xs.indexOf(k) !== -1)'],
  ['a.mjs', inFunction('Math.max(...xs)'), '[...xs].reduce((one, other) => Math.max(one, other), -Infinity)'],
  ['a.mjs', inFunction('new Set(xs).size'), '[...xs].filter((one, at, all) => all.indexOf(one) === at).length'],
  ['a.mjs', inFunction('[...new Set(xs)]'), '[...xs].filter((one, at, all) => all.indexOf(one) === at)'],
  ['a.mjs', inFunction("['a', 'b'].includes(k)"), "new Set(['a', 'b']).has(k)"],
  ['a.mjs', 'export function f(k) {\n  for (const x of [1, 2]) k += x\n}\n', 'of Object.freeze([1, 2]))'],
  ['a.mjs', "writeFileSync('a.txt', xs.join(','))\n", "xs.join(',') + '\\n')"],
  ['a.mjs', "writeFileSync('a.txt', 'done\\n')\n", "('a.txt', 'done')"],
  ['a.py', inDefinition('return len(set(xs))'), 'len(dict.fromkeys(xs))'],
  ['a.py', inDefinition('return max(xs)'), 'sorted(xs)[-1]'],
  ['a.py', inDefinition('return any(x > k for x in xs)'), 'any([x > k for x in xs])'],
  ['a.py', inDefinition('return k not in ["a", "b"]'), 'k not in ("a", "b")'],
  ['a.py', inDefinition('for x in [1]:\n        k += x'), 'for x in (1,):'],
  ['a.py', inDefinition('path.write_text("done")'), `path.write_text("done" + '\\n')`],
])('other algorithms, collections and files in %s: %s', async (path, source, expected) => {
  const variants = await (path.endsWith('.py')
    ? pythonVariants(source, () => false)
    : scriptVariants(source, path, () => false))
  const texts = variants.filter(({ equality }) => equality === 'inputs').map((variant) => varied(source, variant))
  expect(texts).toContainEqual(expect.stringContaining(expected))
})

test.each([
  ['a query of a database, which is no array', inFunction("xs.find('.name')")],
  ['bytes, to which no line end belongs', "writeFileSync('a.png', bytes)\n"],
])('not made: %s', async (_, source) => {
  const kinds = (await scriptVariants(source, 'a.mjs', () => false)).map(({ kind }) => kind)
  expect(kinds.filter((kind) => /algorithm|collection|file/.test(kind))).toEqual([])
})

const counter = (field: string, more = '') =>
  `export class Counter ${more}{\n  ${field} = 0\n  next() {\n    return ++this.${field}\n  }\n}\n`

test.each([
  ['a field that begins with an underscore', counter('_count'), '_count2'],
  ['a field that ends with one', counter('count_'), 'count_2'],
  ['a field that only the constructor makes', 'class A {\n  constructor() {\n    this._a = 1\n  }\n}\n', '_a2'],
])('rename-private: %s', async (_, source, expected) => {
  const renamed = (await scriptVariants(source, 'a.js', () => false)).filter(({ kind }) => kind === 'rename-private')
  expect(renamed.map((variant) => varied(source, variant))).toEqual([expect.stringContaining(expected)])
})

test.each([
  ['a public field', counter('count'), () => false],
  ['a field that another file names', counter('_count'), () => true],
  ['a field that a base class may have', counter('_count', 'extends Base '), () => false],
  ['a field of another object', `${counter('_count')}export const of = (counter) => counter._count\n`, () => false],
  ['a field that is named as text', `${counter('_count')}export const key = '_count'\n`, () => false],
])('rename-private leaves out %s', async (_, source, isUsed) => {
  const kinds = (await scriptVariants(source, 'a.js', isUsed)).map(({ kind }) => kind)
  expect(kinds).not.toContain('rename-private')
})
