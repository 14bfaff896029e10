import { compareFiles, type Language } from '@jurist/workspace/files'
import { describe, expect, test } from 'vitest'

const bytes = (text: string) => new TextEncoder().encode(text)
const compared = async (one: string, other: string, language: Language) =>
  (await compareFiles(bytes(one), bytes(other), { language })).result

/** Both halves of a class, a file or a block in either order. */
const exchanged = (before: string, first: string, second: string, after: string) =>
  [`${before}${first} ${second}${after}`, `${before}${second} ${first}${after}`] as const
const inClass = (first: string, second: string) => exchanged('class A { ', first, second, ' }')
const inFile = (first: string, second: string) => exchanged('', `${first}\n`, `${second}\n`, '')

const getter = 'get x() { return 1 }'
const method = 'x() { return 2 }'
const one = 'function f() { return 1 }'
const two = 'function f() { return 2 }'

describe('what means something else differs', () => {
  test.each([
    ['a getter and a method', inClass(getter, method)],
    ['a setter and a method', inClass('set x(v) {}', method)],
    ['a static getter and a static method', inClass(`static ${getter}`, `static ${method}`)],
    ['a getter and an async method', inClass(getter, `async ${method}`)],
    ['a name and a text', inClass("get 'x'() { return 1 }", method)],
    ['a name and a computed text', inClass("['x']() { return 1 }", method)],
    ['a name and a computed name', inClass('[k]() { return 1 }', method)],
    ['a class inside of a call', exchanged('f(class { ', getter, method, ' })')],
    ['two functions of a block', exchanged('{ ', one, two, ' }')],
    ['a function of a block and its namesake', inFile(`{ ${one} }`, two)],
    ['a function behind an if and its namesake', inFile(`if (a) { ${one} }`, two)],
    ['a function of a block inside of a function', exchanged('function o() { ', `{ ${one} }`, two, ' return f }')],
    ['a function of a case and its namesake', inFile(`switch (a) { case 1: ${one} }`, two)],
    ['a function of a block and what is assigned to it', exchanged('{ ', one, 'f = 3;', ' }')],
    ['a function of a block and a call', exchanged('{ ', one, 'g();', ' }')],
  ])('script: %s', async (_what, [reference, actual]) => {
    expect(await compared(reference, actual, 'script')).toBe('differs')
  })

  test.each([
    ['another version', 'a: yes\n', '%YAML 1.1\n---\na: yes\n'],
    ['yes and a text', '%YAML 1.1\n---\na: yes\n', '%YAML 1.1\n---\na: "yes"\n'],
    ['eight and ten', '%YAML 1.1\n---\na: 010\n', '%YAML 1.1\n---\na: 10\n'],
    ['a version in a later document', '%YAML 1.2\n---\na: yes\n', '%YAML 1.2\n---\na: yes\n...\n%YAML 1.1\n---\n'],
    ['a version that is to come', '%YAML 1.2\n---\na: yes\n', '%YAML 1.20\n---\na: yes\n'],
  ])('YAML: %s', async (_what, reference, actual) => {
    expect(await compared(reference, actual, 'yaml')).toBe('differs')
  })

  test.each([
    ['instructions before the root', '<?x a?><r/>', '<?x b?><r/>'],
    ['instructions in another order', '<r><?x a?><?x b?></r>', '<r><?x b?><?x a?></r>'],
    ['instructions inside', '<r><?x a?></r>', '<r><?x b?></r>'],
    ['an instruction that is said twice', '<?x a?><r/>', '<?x a?><r/><?x a?>'],
    ['a no-break space and nothing', '<r>\u00a0</r>', '<r/>'],
    ['a no-break space and a space', '<r>\u00a0</r>', '<r> </r>'],
    ['a wide space beside an element', '<r>\u2003<a/></r>', '<r><a/></r>'],
  ])('XML: %s', async (_what, reference, actual) => {
    expect(await compared(reference, actual, 'xml')).toBe('differs')
  })

  test.each([
    ['calls', 'def f(a: g()): pass', 'def h(a: k()): pass'],
    ['calls behind the arrow', 'def f() -> g(): pass', 'def h() -> k(): pass'],
    ['calls in brackets', 'def f(a: x[g()]): pass', 'def h(a: x[k()]): pass'],
    ['calls of what a call gives', 'def f(a: x[0]()): pass', 'def h(a: x()()): pass'],
    ['bindings', 'def f(a: (x := 1)): pass', 'def h(a: (x := 2)): pass'],
    ['loops', 'def f(a: [x for x in y]): pass', 'def h(a: [x for x in y]): pass'],
    ['texts that are made', 'def f(a: f"{x}"): pass', 'def h(a: f"{y}"): pass'],
  ])('Python: exchanged functions with %s in annotations', async (_what, first, second) => {
    const [reference, actual] = inFile(first, second)
    expect(await compared(reference.replaceAll('\n ', '\n'), actual.replaceAll('\n ', '\n'), 'python')).toBe('differs')
    const body = (...functions: readonly string[]) => `class A:\n${functions.map((text) => `  ${text}\n`).join('')}`
    expect(await compared(body(first, second), body(second, first), 'python')).toBe('differs')
  })
})

describe('what means the same stays equivalent', () => {
  test.each<readonly [string, Language, readonly [string, string]]>([
    ['methods of other names', 'script', inClass(getter, 'y() { return 2 }')],
    ['a getter and its setter', 'script', inClass(getter, 'set x(v) {}')],
    ['a static getter and a method', 'script', inClass(`static ${getter}`, method)],
    ['an iterator and a method', 'script', inClass('*[Symbol.iterator]() {}', method)],
    ['functions of a file', 'script', inFile(one, 'function g() { return 2 }')],
    ['functions of a function', 'script', exchanged('function o() { ', one, 'function g() {}', ' return f }')],
    ['a function of a block in a strict file', 'script', exchanged("'use strict'\n{ ", one, 'g();', ' }')],
    ['a function of a block in a module', 'script', exchanged('export {}\n{ ', one, 'g();', ' }')],
    ['YAML that says that it is 1.2', 'yaml', ['%YAML 1.2\n---\na: yes\n', 'a: "yes"\n']],
    ['space between elements', 'xml', ['<r> <a/>\n</r>', '<r><a/></r>']],
    ['one instruction, other layout', 'xml', ['<?x a?>\n<r><?y?> <a/></r>', '<?x a?><r><?y?><a/></r>']],
    [
      'plain annotations',
      'python',
      [
        'def f(a: int | None) -> "A": pass\ndef h(a: (int)): pass\n',
        'def h(a: (int)): pass\ndef f(a: int | None) -> "A": pass\n',
      ],
    ],
  ])('%s', async (_what, language, [reference, actual]) => {
    expect(await compared(reference, actual, language)).toBe('equivalent')
  })
})
