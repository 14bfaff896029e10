import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareFiles, type Language } from '../../src/files/index.js'

const encoder = new TextEncoder()
const compared = (language: Language, expected: string, found: string) =>
  compareFiles(encoder.encode(expected), encoder.encode(found), { language })
const isEqual = async (language: Language, one: string, other: string) =>
  (await compared(language, one, other)).result !== 'differs'

const mine = [
  'json',
  'jsonc',
  'package-json',
  'yaml',
  'toml',
  'properties',
  'xml',
  'maven-pom',
  'text',
  'text-lines',
  'text-exact',
  'bytes',
] as const

/** Texts out of the signs that mean something to the language. */
const pieces: { readonly [language: string]: readonly string[] } = {
  json: [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"\\u0061"',
    '1',
    '-0',
    '1e5',
    'true',
    'null',
    ' ',
    '\n',
    '"',
    '//',
    '\\',
  ],
  yaml: [
    '- ',
    '? ',
    ': ',
    'a',
    'b: 1',
    '\n',
    '  ',
    '[',
    ']',
    '{',
    '}',
    '&x ',
    '*x',
    '!t ',
    '|',
    '"',
    "'",
    '---\n',
    '<<: ',
  ],
  toml: [
    '[',
    ']',
    '[[',
    ']]',
    'a',
    '.',
    ' = ',
    '1',
    '1.0',
    '"x"',
    "'y'",
    '\n',
    '{',
    '}',
    ',',
    '2020-01-01',
    '"""',
    '#',
  ],
  xml: [
    '<a>',
    '</a>',
    '<b/>',
    ' ',
    'x',
    '<!--c-->',
    '<![CDATA[x]]>',
    '&amp;',
    '<p:a xmlns:p="u">',
    '<a b="1"',
    '>',
    '\n',
  ],
  properties: ['a', '=', ':', ' ', '\\', '\n', '#', '\\u0041', '\\u', '\t', 'b'],
}

const textOf = (language: string) => {
  const signs =
    pieces[language === 'jsonc' || language === 'package-json' ? 'json' : language === 'maven-pom' ? 'xml' : language]
  const noise = fc.string({ unit: 'binary', maxLength: 20 })
  if (signs === undefined) return fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '\t', '\r'), maxLength: 30 })
  return fc.oneof(
    { weight: 6, arbitrary: fc.array(fc.constantFrom(...signs), { maxLength: 25 }).map((parts) => parts.join('')) },
    { weight: 1, arbitrary: noise },
  )
}

describe.each(mine)('%s', (language) => {
  test('never throws, and finds the same both ways', async () => {
    await fc.assert(
      fc.asyncProperty(textOf(language), textOf(language), async (one, other) => {
        const there = await compared(language, one, other)
        const back = await compared(language, other, one)
        expect(there.result).toBe(back.result)
        expect(there.differences.length > 0).toBe(there.result === 'differs')
        const swapped = { missing: 'unexpected', unexpected: 'missing' } as const
        if (there.by === 'tree' && language !== 'xml' && language !== 'maven-pom')
          expect(there.differences.map(({ kind, member }) => `${member} ${kind}`).sort()).toEqual(
            back.differences.map(({ kind, member }) => `${member} ${swapped[kind as 'missing'] ?? kind}`).sort(),
          )
      }),
      { numRuns: 150 },
    )
  })

  test('a text is equal to itself with other line ends and a byte order mark', async () => {
    if (language === 'bytes') return
    await fc.assert(
      fc.asyncProperty(textOf(language), async (text) => {
        if (text.includes('\0') || text.includes('\r') || text.startsWith('\ufeff')) return
        expect(await isEqual(language, text, `\ufeff${text.replaceAll('\n', '\r\n')}`)).toBe(true)
      }),
      { numRuns: 150 },
    )
  })
})

/** A value with keys in another order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned)
  if (typeof value !== 'object' || value === null) return value
  const turnedEntries = Object.entries(value)
    .reverse()
    .map(([key, part]) => [key, turned(part)])
  return Object.fromEntries(turnedEntries)
}

const json = fc.jsonValue({ maxDepth: 4 })

describe('JSON', () => {
  test.each(['json', 'jsonc', 'yaml'] as const)('%s: layout and order of keys do not count', async (language) => {
    await fc.assert(
      fc.asyncProperty(json, async (value) => {
        expect(await isEqual(language, JSON.stringify(value), JSON.stringify(turned(value), null, 2))).toBe(true)
      }),
      { numRuns: 150 },
    )
  })

  test('values are equal exactly when JSON.parse says so', async () => {
    const normal = (value: unknown): string =>
      JSON.stringify(value, (_key, part: unknown) =>
        typeof part === 'object' && part !== null && !Array.isArray(part)
          ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
          : part,
      )
    const small = fc.jsonValue({ maxDepth: 2 })
    await fc.assert(
      fc.asyncProperty(small, small, async (one, other) => {
        expect(await isEqual('json', JSON.stringify(one), JSON.stringify(other))).toBe(normal(one) === normal(other))
      }),
      { numRuns: 150 },
    )
  })

  test('what JSON.parse refuses does not parse', async () => {
    await fc.assert(
      fc.asyncProperty(textOf('json'), async (text) => {
        const { notes } = await compared('json', text, '"something else entirely"')
        let parses = true
        try {
          JSON.parse(text)
        } catch {
          parses = false
        }
        const refused = notes.some((note) => note.startsWith('reference does not parse'))
        // A repeated key is refused here, and byte order marks and NULs are no matter of JSON.
        if (!parses && !/[\0\ufeff\ufffd\ud800-\udfff]/.test(text)) expect(refused).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})

describe('numbers', () => {
  test.each([
    ['1', '1.0', true],
    ['1', '10e-1', true],
    ['0', '-0.0e7', true],
    ['1e400', '10e399', true],
    ['9007199254740993', '9007199254740992', false],
    ['0.1', '0.10000000000000000001', false],
    ['1', '-1', false],
  ])('%s and %s', async (one, other, equal) => {
    expect(await isEqual('json', one, other)).toBe(equal)
  })
})

describe('members', () => {
  const found = async (language: Language, expected: string, actual: string) =>
    (await compared(language, expected, actual)).differences.map(
      ({ kind, member, line, referenceLine }) => `${kind} ${member} ${line} ${referenceLine}`,
    )

  test('JSON: pointers and lines', async () => {
    expect(await found('json', '{"a":{"b":[1,2]}}', '{\n"a":{\n"b":[1,\n3],"__proto__":1}}')).toEqual([
      'differs /a/b/1 4 1',
      'unexpected /a/__proto__ 4 null',
    ])
  })

  test('TOML: lines of every form', async () => {
    expect(
      await found('toml', 'a.b = 1\n[[t]]\nx = 1\n[[t]]\nx = 2', '[a]\nb = 2\n[[t]]\nx = 1\n[[t]]\n"x" = 3\ny = 1'),
    ).toEqual(['differs /a/b 2 1', 'differs /t/1/x 6 5', 'unexpected /t/1/y 7 null'])
  })

  test('TOML: dates are compared as they are written', async () => {
    expect(await found('toml', 'a = 2020-01-01T00:00:00.1234Z', 'a = 2020-01-01 00:00:00.12340z')).toEqual([])
    expect(await found('toml', 'a = 2020-01-01T00:00:00.1234Z', 'a = 2020-01-01T00:00:00.1235Z')).toHaveLength(1)
    expect(await found('toml', 'a = 2020-01-01', 'a = "2020-01-01"')).toHaveLength(1)
  })

  test('YAML: merge keys and tags', async () => {
    expect(await found('yaml', 'a: &x {b: 1}\nc: {<<: *x, d: 2}', 'a: {b: 1}\nc: {b: 1, d: 2}')).toEqual([])
    expect(await found('yaml', 'a: !x 1\nb: 1', 'a: 1\nb: 1.0')).toEqual(['differs /a 1 1', 'differs /b 2 2'])
  })

  test('properties: the last of a repeated key counts, with a note', async () => {
    const { result, notes } = await compared('properties', 'a=1\na=2', 'a=2')
    expect([result, notes]).toEqual(['equivalent', ['the key "a" is repeated: the last one counts']])
  })

  test('package.json: keywords are a set, conditions are in order', async () => {
    expect(await found('package-json', '{"keywords":["a","b"]}', '{"keywords":["b","a","c"]}')).toEqual([
      'unexpected /keywords/2 1 null',
    ])
    expect(await found('package-json', '{"imports":{"a":1,"b":2}}', '{"imports":{"b":2,"a":1}}')).toEqual([
      'order /imports 1 1',
    ])
  })

  test('XML: an element that is gone, one that is new, attributes, space that is preserved', async () => {
    expect(await found('xml', '<r><a i="1"/><a i="2"/></r>', '<r>\n<a i="2"/>\n</r>')).toEqual([
      'missing /r/a[1] null 1',
    ])
    expect(await found('xml', '<r><a i="1"/></r>', '<r><a j="1"/><b/></r>')).toEqual([
      'unexpected /r/a/@j 1 null',
      'unexpected /r/b 1 null',
      'missing /r/a/@i null 1',
    ])
    expect(await found('xml', '<r><a> x  y </a></r>', '<r><a>x y</a></r>')).toHaveLength(1)
    const collapsed = { language: 'xml', textSpace: 'collapse' } as const
    const [one, other] = [Buffer.from('<r><a> x  y </a></r>'), Buffer.from('<r><a>x y</a></r>')]
    expect(await compareFiles(one, other, collapsed)).toMatchObject({ result: 'equivalent' })
    expect(await found('xml', '<r xml:space="preserve"> x</r>', '<r xml:space="preserve">x</r>')).toHaveLength(1)
  })

  test('POM: phases keep their order, defaults are filled in, a value is exact', async () => {
    const pom = (plugins: string, rest = '') => `<project><build><plugins>${plugins}</plugins></build>${rest}</project>`
    const plugin = (name: string) =>
      `<plugin><groupId>g</groupId><artifactId>${name}</artifactId><executions><execution><phase>compile</phase></execution></executions></plugin>`
    expect(await found('maven-pom', pom(plugin('a') + plugin('b')), pom(plugin('b') + plugin('a')))).toEqual([
      'order order of phase compile 1 1',
    ])
    const goals = (list: string) => plugin('a').replace('<phase>', `<goals>${list}</goals><phase>`)
    expect(
      await found('maven-pom', pom(goals('<goal>x</goal><goal>y</goal>')), pom(goals('<goal>y</goal><goal>x</goal>'))),
    ).toEqual(['differs build/plugins/g:a/executions/default/goals 1 1'])
    const properties = (value: string) => pom('', `<properties><a>${value}</a></properties>`)
    expect(await found('maven-pom', properties(' x'), properties('x'))).toEqual([])
    expect(await found('maven-pom', properties('x  y'), properties('x y'))).toEqual(['differs properties/a 1 1'])
  })

  test('POM: what holds nothing is as good as absent, and what a container held is missing by itself', async () => {
    const pom = (content: string) => `<project>${content}</project>`
    const dependency = (rest = '') => `<dependency><groupId>o</groupId><artifactId>x</artifactId>${rest}</dependency>`
    const holding = (rest: string) => pom(`<dependencies>${dependency(rest)}</dependencies>`)
    const plugin = (rest: string) => pom(`<build><plugins><plugin>${rest}</plugin></plugins></build>`)
    const empty = ['modules', 'properties', 'dependencies', 'profiles', 'dependencyManagement', 'repositories']
    for (const full of [...empty.map((name) => pom(`<${name}/>`)), pom('<build><plugins/></build>')]) {
      expect(await found('maven-pom', full, pom(''))).toEqual([])
      expect(await found('maven-pom', pom(''), full)).toEqual([])
    }
    expect(await found('maven-pom', holding('<exclusions/>'), holding(''))).toEqual([])
    expect(await found('maven-pom', plugin('<executions/>'), plugin(''))).toEqual([])
    expect(await found('maven-pom', pom(`<dependencies>\n${dependency()}</dependencies>`), pom(''))).toEqual([
      'missing dependencies/o:x:jar null 2',
    ])
    expect(await found('maven-pom', pom(''), pom(`<build><plugins><plugin/></plugins></build>`))).toEqual([
      'unexpected build/plugins/org.apache.maven.plugins: 1 null',
    ])
    expect(await found('maven-pom', pom('<properties><a/></properties>'), pom('<properties/>'))).toEqual([
      'missing properties/a null 1',
    ])
  })

  test('POM: a project of another namespace is not a POM', async () => {
    const project = (space: string, content: string) => `<project xmlns="${space}">${content}</project>`
    const [one, other] = ['<name/><artifactId>a</artifactId>', '<artifactId>a</artifactId><packaging>jar</packaging>']
    const maven = 'http://maven.apache.org/POM/4.0.0'
    expect(await found('maven-pom', project(maven, one), project(maven, `<name/>${other}`))).toEqual([])
    expect(await found('maven-pom', project('urn:ant', one), project('urn:ant', `<name/>${other}`))).toHaveLength(1)
    expect(await found('maven-pom', project('', one), project('urn:ant', one))).toHaveLength(1)
  })
})
