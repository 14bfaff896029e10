import type { TestCase } from './reports/test-report.js'

/** Finds tests of a report by the names that people and tools give them. */
export interface TestNames {
  /** The tests that an id means: the one of that id, else those that a tool spells like it. */
  find(id: string): readonly TestCase[]
  /** The id of a reported test that looks most like this one; `undefined` when none does. */
  nearest(id: string): string | undefined
}

/**
 * The names of the tests of a report. Ids may be spelled as in the report, or as the tools themselves do: pytest
 * (`tests/test_a.py::TestA::test_b[1]`), unittest (`test_b (tests.test_a.TestA)`), Maven (`Class#method`, `Class.method`, with
 * the package or without), Jest and Vitest (`file > suite > test`, `suite › test`, `suite test`), Go (`package/Test/sub`,
 * `Test/sub`). Whole names come before parts of them; what is still ambiguous means all of them.
 */
export function testNames(tests: readonly TestCase[]): TestNames {
  const byId = new Map(tests.map((test) => [test.id, test]))
  let spellings: readonly Spellings[] | undefined
  const find = (id: string): readonly TestCase[] => {
    const exact = byId.get(id)
    if (exact !== undefined) return [exact]
    spellings ??= spellingsOf(tests)
    for (const index of spellings) {
      const found = readings(id).flatMap((reading) => index.get(reading) ?? [])
      if (found.length > 0) return [...new Set(found)]
    }
    return []
  }
  return { find, nearest: (id) => nearestOf(id, tests) }
}

type Spellings = ReadonlyMap<string, readonly TestCase[]>

/** Two tables: of whole names, and of the parts of names that people use for short. */
function spellingsOf(tests: readonly TestCase[]): readonly Spellings[] {
  const [whole, parts] = [new Map<string, TestCase[]>(), new Map<string, TestCase[]>()]
  const add = (table: Map<string, TestCase[]>, name: string, test: TestCase) => {
    const others = table.get(name)
    if (others === undefined) table.set(name, [test])
    else others.push(test)
  }
  for (const test of tests)
    for (const { name, short } of namesOf(test.id)) {
      add(whole, name, test)
      for (const part of short) add(parts, part, test)
    }
  return [whole, parts]
}

interface Name {
  readonly name: string
  readonly short: readonly string[]
}

/** A name in the one form of its tool, with a mark that keeps the tools apart. */
const dotted = (name: string) => `class ${name.replaceAll('$', '.')}`
const titled = (titles: string) =>
  `title ${spaced(titles)
    .replace(/ ?(?:>|›|»|::) ?/g, ' ')
    .trim()}`
const spaced = (text: string) => text.replace(/\s+/g, ' ')
const goNamed = (path: string, name: string) => `go ${path === '' ? '' : `${path}/`}${name.replace(/\s/g, '_')}`

const mostParts = 6
const goTest = /^(.*?)(?:::|[./#:\s])((?:Test|Example|Fuzz|Benchmark)(?![a-z]).*)$/s

function namesOf(id: string): readonly Name[] {
  const [file, ...titles] = id.split(' > ')
  const isFile = titles.length > 0 && /\.\w+$/.test(file ?? '')
  const names: Name[] = [{ name: titled(id), short: isFile ? [titled(titles.join(' > '))] : [] }]
  const [, className, method] = /^([^#]+)#(.*)$/s.exec(id) ?? []
  if (className !== undefined && method !== undefined)
    for (const name of methodNames(method))
      names.push({
        name: dotted(`${className}.${name}`),
        short: ends(className, '.').map((end) => dotted(`${end}.${name}`)),
      })
  const [, path = '', test] = goTest.exec(id) ?? []
  if (test !== undefined)
    names.push({ name: goNamed(path, test), short: ['', ...ends(path, '/')].map((end) => goNamed(end, test)) })
  return names
}

/** JUnit 5 writes `pops()`, Surefire `pops(int)[1]` or `pops{int}[1]`. */
function methodNames(method: string): readonly string[] {
  const [, name, rest] = /^([\w$]+)(?:\([^()]*\)|\{[^{}]*\})(\[\d+\])?$/.exec(method) ?? []
  return name === undefined ? [method] : [method, `${name}${rest ?? ''}`]
}

/** What a name ends with, part by part, without the whole. */
function ends(name: string, separator: string): readonly string[] {
  const parts = name.split(separator).slice(-mostParts)
  return parts.slice(1).map((_, index) => parts.slice(index + 1).join(separator))
}

/** The forms that an id may be read as. */
function readings(id: string): readonly string[] {
  const [, method, place] = /^(\S[^()]*?) ?\(([\w.$]+)\)$/.exec(id) ?? []
  const [, path = '', test] = goTest.exec(`/${id.replace(/^\.\//, '')}`) ?? []
  return [
    titled(id.replace(/^\.\//, '')),
    dotted(id.replace('#', '.')),
    dotted(nodeId(id)),
    ...(place === undefined ? [] : [dotted(place.endsWith(`.${method}`) ? place : `${place}.${method}`)]),
    ...(test === undefined ? [] : [goNamed(path.replace(/^\//, ''), test)]),
  ]
}

/** A node id as pytest itself writes it into its JUnit report; parameters may hold any text. */
function nodeId(id: string): string {
  const bracket = id.indexOf('[')
  const [address, parameters] = bracket < 0 ? [id, ''] : [id.slice(0, bracket), id.slice(bracket)]
  const [file = '', ...names] = address.split('::')
  const module = file.replace(/^\.\//, '').replaceAll('/', '.').replace(/\.py$/, '')
  return `${[module, ...names].join('.')}${parameters}`
}

/** How much of two names must be the same pairs of letters. */
const nearEnough = 0.5
const longestName = 500

function nearestOf(id: string, tests: readonly TestCase[]): string | undefined {
  const wanted = pairsOf(id)
  let [best, nearest]: [number, string | undefined] = [nearEnough, undefined]
  for (const test of tests) {
    const pairs = pairsOf(test.id)
    let both = 0
    for (const pair of pairs) if (wanted.has(pair)) both += 1
    const likeness = (2 * both) / (wanted.size + pairs.size)
    if (likeness > best) [best, nearest] = [likeness, test.id]
  }
  return nearest
}

/** The pairs of neighbours among the letters and digits of a name. */
function pairsOf(name: string): ReadonlySet<string> {
  const letters = name
    .slice(-longestName)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
  return new Set(Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2)))
}
