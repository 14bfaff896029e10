import type { Check } from '@jurist/core'
import { escaped, shortened } from '../quotation.js'
import type { CommandEvidence } from './command-evidence.js'
import type { TestCase } from './reports/test-report.js'

/** Finds tests of a report by the names that people and tools give them. */
export interface TestNames {
  /** Finds the tests that an id means: the one with that id, or otherwise those that a tool spells like it. */
  find(id: string): readonly TestCase[]
  /** Returns the id of the most similar reported test; `undefined` if none is similar. */
  nearest(id: string): string | undefined
}

/**
 * Indexes the names of the tests of a report. Ids may be spelled as in the report, or as the tools themselves spell
 * them: pytest (`tests/test_a.py::TestA::test_b[1]`), unittest (`test_b (tests.test_a.TestA)`), Maven (`Class#method`,
 * `Class.method`, with the package or without), Jest and Vitest (`file > suite > test`, `suite › test`, `suite test`),
 * Go (`package/Test/sub`, `Test/sub`). Whole names take precedence over parts of them. An ambiguous name means all
 * matching tests.
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

/** Creates two tables: of whole names, and of the parts of names that people use for short. */
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

/** Normalizes a name in the form of its tool, with a mark that keeps the tools apart. */
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

/** The endings of a name, part by part, without the whole. */
function ends(name: string, separator: string): readonly string[] {
  const parts = name.split(separator).slice(-mostParts)
  return parts.slice(1).map((_, index) => parts.slice(index + 1).join(separator))
}

/** The forms in which an id may be read. */
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

/** A node id as pytest itself writes it into its JUnit report. Parameters may contain anything. */
function nodeId(id: string): string {
  const bracket = id.indexOf('[')
  const [address, parameters] = bracket < 0 ? [id, ''] : [id.slice(0, bracket), id.slice(bracket)]
  const [file = '', ...names] = address.split('::')
  const module = file.replace(/^\.\//, '').replaceAll('/', '.').replace(/\.py$/, '')
  return `${[module, ...names].join('.')}${parameters}`
}

/** The share of equal letter pairs from which two names are similar. */
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

/** The pairs of neighbouring letters and digits of a name. */
function pairsOf(name: string): ReadonlySet<string> {
  const letters = name
    .slice(-longestName)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
  return new Set(Array.from({ length: Math.max(0, letters.length - 1) }, (_, at) => letters.slice(at, at + 2)))
}

/** Tests with a wrong expectation. A run that does not report them as failed proves nothing about other tests. */
export interface Canaries {
  /** The other tests of the report. */
  readonly others: readonly TestCase[]
  /** One check for each canary that was reported as failed. */
  readonly kept: readonly Check[]
  /** One check for each canary that was not. */
  readonly missed: readonly Check[]
}

/** Separates the tests that must fail from the others. */
export function canariesOf(tests: readonly TestCase[], ids: readonly string[]): Canaries {
  if (ids.length === 0) return { others: tests, kept: [], missed: [] }
  const names = testNames(tests)
  const found = new Map([...new Set(ids)].map((id) => [id, names.find(id)]))
  const all = [...found].map(([id, those]) => canaryCheck(id, those))
  const isCanary = new Set([...found.values()].flat().map(({ id }) => id))
  return {
    others: tests.filter(({ id }) => !isCanary.has(id)),
    kept: all.filter(({ passed }) => passed),
    missed: all.filter(({ passed }) => !passed),
  }
}

function canaryCheck(id: string, tests: readonly TestCase[]): Check {
  const passed = tests.length > 0 && tests.every(({ status }) => status === 'failed')
  const [other] = tests.filter(({ status }) => status !== 'failed')
  const was = other === undefined ? 'was not reported' : `was reported as ${other.status}`
  const message = passed ? 'failed, as it must' : `${escaped(id)} must be reported as failed, but ${was}`
  return { name: shortened(escaped(id)), passed, message: shortened(message) }
}

/** If only the tests that must fail have failed, the run ended as expected, whatever its exit code. */
export function excused(evidence: CommandEvidence, { others, kept, missed }: Canaries): CommandEvidence {
  const isBad = missed.length > 0 || others.some(({ status }) => status === 'failed' || status === 'errored')
  if (kept.length === 0 || isBad || evidence.result.status !== 'exited') return evidence
  const message = `${evidence.check.message}; ${kept.length} of the tests failed, as they must`
  return { ...evidence, check: { ...evidence.check, passed: true, message } }
}

export interface TestCounts {
  readonly passed: number
  readonly failed: number
  readonly errored: number
  readonly skipped: number
  readonly total: number
}

export function countTests(tests: readonly TestCase[]): TestCounts {
  const count = (status: TestCase['status']) => tests.filter((test) => test.status === status).length
  return {
    passed: count('passed'),
    failed: count('failed'),
    errored: count('errored'),
    skipped: count('skipped'),
    total: tests.length,
  }
}

/** The number of tests that ran: all but the skipped ones. */
export function executed({ passed, failed, errored }: TestCounts): number {
  return passed + failed + errored
}

/** A class or a module whose tests never began, as JUnit reports name it. */
const junitSuite = /^[^#]*$|#$|#(?:initializationError|executionError)$|^unittest\.loader\._FailedTest#/

/**
 * Finds the entries of a report that are not tests: a file that could not be loaded, a class that could not be set up,
 * a plan that was not met. Their tests are not in the report, so the number of tests is unknown.
 */
export function unloadedSuites(format: string, tests: readonly TestCase[]): readonly TestCase[] {
  // Only JUnit reports a test as errored. In other formats, the status belongs to what surrounds tests.
  const isSuite = ({ id }: TestCase) => !format.includes('junit') || junitSuite.test(id)
  return tests.filter((test) => test.status === 'errored' && isSuite(test))
}
