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
    ['an octal number', 'mode: 0644\n', 'mode: 644\n'],
    ['an octal number and its value', 'mode: 0644\n', 'mode: 420\n'],
    ['digits behind a zero', 'zip: 01234\n', 'zip: 1234\n'],
    ['digits behind a zero that are not octal', 'zip: 08001\n', 'zip: 8001\n'],
    ['no and a text', 'country: NO\n', 'country: "NO"\n'],
    ['words for true', 'a: yes\n', 'a: Yes\n'],
    ['a time', 'port: 22:22\n', 'port: "22:22"\n'],
    ['digits in groups', 'a: 1_000\n', 'a: "1_000"\n'],
    ['a day', 'a: 2001-12-14\n', 'a: "2001-12-14"\n'],
    ['octal of 1.2', 'a: 0o14\n', 'a: 12\n'],
    ['binary of 1.1', 'a: 0b11\n', 'a: "0b11"\n'],
    ['an exponent', 'a: 1e3\n', 'a: 1.0e+3\n'],
    ['a word in a list', '[on]\n', "['on']\n"],
    ['a key', 'NO: Norway\n', '"NO": Norway\n'],
    ['a number as a key', '0644: a\n', '644: a\n'],
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
    ['a space at the end of a text', '<r><t>, </t></r>', '<r><t>,</t></r>'],
    ['spaces at the start', '<A><B>XXX</B></A>', '<A><B>   XXX</B></A>'],
    ['spaces within', '<r><echo>a   b</echo></r>', '<r><echo>a b</echo></r>'],
    ['a line break within', '<r><pre>  a\n    b</pre></r>', '<r><pre>a\nb</pre></r>'],
    ['spaces in CDATA', '<r><![CDATA[ x]]></r>', '<r><![CDATA[x]]></r>'],
    ['a space and nothing', '<t> </t>', '<t/>'],
    ['a space between words and elements', '<p>a <b/> <i/></p>', '<p>a <b/><i/></p>'],
    ['a style sheet that is gone', '<?xml-stylesheet href="a.xsl"?><a/>', '<a/>'],
    ['an instruction more before the root', '<a/>', '<?import java.util.Map?>\n<a/>'],
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

test('a note says which scalar versions of YAML do not read alike', async () => {
  const { notes, differences } = await compareFiles(bytes('a: NO\n'), bytes('a: "NO"\n'), { language: 'yaml' })
  expect(notes).toEqual(['YAML 1.1 and 1.2 read "NO" differently'])
  expect(differences).toMatchObject([{ member: '/a', message: expect.stringContaining('expected "NO" found') }])
})

describe('texts are in the encoding that they declare', () => {
  const pom = (...parts: readonly string[]) =>
    `<?xml version="1.0" encoding="ISO-8859-1"?><project>${parts.join('')}</project>`
  const [group, artifact, name] = ['<groupId>g</groupId>', '<artifactId>a</artifactId>', '<name>Grüße</name>']
  test.each<readonly [string, Language, Uint8Array, Uint8Array]>([
    [
      'a POM in ISO-8859-1',
      'maven-pom',
      Buffer.from(pom(group, artifact, name), 'latin1'),
      Buffer.from(pom(name, artifact, group), 'latin1'),
    ],
    ['XML in UTF-16', 'xml', Buffer.from('\ufeff<a>ü</a>', 'utf16le'), Buffer.from('<?xml version="1.0"?><a>ü</a>')],
    ['properties in ISO-8859-1', 'properties', Buffer.from('a=é\nb=1', 'latin1'), Buffer.from('b=1\na=é', 'latin1')],
  ])('%s', async (_, language, reference, actual) => {
    expect(await compareFiles(reference, actual, { language })).toMatchObject({ result: 'equivalent', by: 'tree' })
  })
  test('other bytes stay bytes', async () => {
    const [reference, actual] = [Buffer.from('a = "é"', 'latin1'), Buffer.from('a="é"', 'latin1')]
    expect(await compareFiles(reference, actual, { language: 'toml' })).toMatchObject({
      result: 'differs',
      by: 'bytes',
    })
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
    ['YAML that says that it is 1.2', 'yaml', ['%YAML 1.2\n---\na: yes\n', '# a\na: yes\n']],
    [
      'words and numbers of YAML written alike',
      'yaml',
      ['a: [NO, 0644, 2001-12-14, on]\n', 'a:\n- NO\n- 0644\n- 2001-12-14\n- on\n'],
    ],
    ['numbers that YAML 1.1 and 1.2 both read alike', 'yaml', ['[0x1F, 007, +1, 1.50]\n', '[31, 7, 1, 1.5]\n']],
    [
      'words that YAML 1.1 and 1.2 both read alike',
      'yaml',
      ['[true, ~, nothing, one]\n', '[True, null, "nothing", "one"]\n'],
    ],
    ['Z and no offset', 'toml', ['d = 1979-05-27T07:32:00Z\n', 'd = 1979-05-27T07:32:00+00:00\n']],
    ['a line break in an empty element', 'xml', ['<r><a>\n</a></r>', '<r><a/></r>']],
    ['an instruction inside', 'xml', ['<r><?note x?><a/></r>', '<r><a/></r>']],
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
