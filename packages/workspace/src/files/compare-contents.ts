import { processorMs } from '@jurist/kit/processor-limit'
import { decoded } from '../encoding.js'
import {
  type Comparator,
  type ComparisonRules,
  type Finding,
  type Means,
  maxComparisonMs,
  type Sources,
} from './comparator.js'
import { type FoundDifference, inOrder } from './difference.js'
import type { Language } from './language.js'
import { compareText } from './text.js'

/** The default of `maxFileBytes`. */
export const defaultMaxFileBytes = 10_485_760

/** A comparison of two files with everything that was found. */
export interface ContentComparison {
  readonly result: 'identical' | 'equivalent' | 'differs'
  readonly language: Language
  readonly by: 'bytes' | Means
  readonly notes: readonly string[]
  readonly differences: readonly FoundDifference[]
}

export interface Comparing {
  readonly language: Language
  readonly rules: ComparisonRules
  readonly path?: string
}

/** Compares two contents: bytes first, then by the rules of the language. It never throws because of the contents. */
export async function compareContents(
  reference: Uint8Array,
  actual: Uint8Array,
  { language, rules, path }: Comparing,
): Promise<ContentComparison> {
  if (Buffer.compare(reference, actual) === 0) return identical(language)
  const { maxFileBytes = defaultMaxFileBytes } = rules
  if (language === 'bytes') return byBytes(language, firstDifferentByte(reference, actual))
  if (Math.max(reference.length, actual.length) > maxFileBytes)
    return byBytes(language, firstDifferentByte(reference, actual), [tooLarge])
  const [expected, found] = [sourceText(reference, language), sourceText(actual, language)]
  if (expected === undefined || found === undefined) return byBytes(language, firstDifferentByte(reference, actual))
  return inTurn(async () => {
    const deadline = processorMs() + maxComparisonMs
    const inTime = () => processorMs() < deadline
    const sources = { reference: expected, actual: found, rules, inTime, path }
    return concluded(language, await findingOf(language, sources))
  })
}

let last: Promise<unknown> = Promise.resolve()

/** One comparison at a time: one agent's file must not use up the time for the files of others. */
function inTurn<Result>(compare: () => Promise<Result>): Promise<Result> {
  const turn = last.then(compare)
  last = turn.catch(() => undefined)
  return turn
}

/** The note of files that are too large for a tree. */
export const tooLarge = 'too large to compare by structure'

export function identical(language: Language): ContentComparison {
  return { result: 'identical', language, by: 'bytes', notes: [], differences: [] }
}

/** Compares two contents by their bytes only. `at` describes where they differ. */
export function byBytes(language: Language, at: string, notes: readonly string[] = []): ContentComparison {
  const difference = { kind: 'differs', member: '', line: null, referenceLine: null, message: at } as const
  return { result: 'differs', language, by: 'bytes', notes, differences: [difference] }
}

/** Returns the index of the first byte in which two contents differ, among the first `length`. */
export function firstDifference(one: Uint8Array, other: Uint8Array, length: number): number {
  let at = 0
  while (at < length && one[at] === other[at]) at++
  return at
}

function firstDifferentByte(reference: Uint8Array, actual: Uint8Array): string {
  return `differs at byte ${firstDifference(reference, actual, Math.min(reference.length, actual.length))}`
}

async function findingOf(language: Exclude<Language, 'bytes'>, sources: Sources): Promise<Finding> {
  const comparator = await comparators[language]()
  const finding = await comparator(sources)
  if (finding.by !== 'nothing') return finding
  const lines = compareText(sources, 'text-lines')
  return { ...lines, notes: [...finding.notes, ...lines.notes] }
}

function concluded(language: Language, { by, differences, notes }: Finding): ContentComparison {
  const result = differences.length === 0 ? 'equivalent' : 'differs'
  return { result, language, by, notes, differences: inOrder(differences) }
}

/**
 * The comparator of every language. Each is loaded on first use: the parsers are large, and a program that compares no
 * Java should not wait for a Java parser.
 */
const comparators: { readonly [language in Exclude<Language, 'bytes'>]: () => Promise<Comparator> } = {
  java: async () => (await import('./code/java/compare-java.js')).compareJava,
  script: async () => (await import('./code/script/compare-script.js')).compareScript,
  python: async () => (await import('./code/python/compare-python.js')).comparePython,
  'maven-pom': async () => (await import('./maven/pom.js')).comparePom,
  xml: async () => (await import('./xml/compare-xml.js')).compareXml,
  json: async () => (await import('./data/json.js')).compareJson,
  jsonc: async () => (await import('./data/json.js')).compareJsonc,
  'package-json': async () => (await import('./data/json.js')).comparePackageJson,
  yaml: async () => (await import('./data/yaml.js')).compareYaml,
  toml: async () => (await import('./data/toml.js')).compareToml,
  properties: async () => (await import('./data/properties.js')).compareProperties,
  text: async () => (sources) => compareText(sources, 'text'),
  'text-lines': async () => (sources) => compareText(sources, 'text-lines'),
  'text-exact': async () => (sources) => compareText(sources, 'text-exact'),
}

/**
 * Decodes a file for comparators: without a byte order mark, with LF line ends. XML is in the encoding that it
 * declares, properties that are not UTF-8 are ISO-8859-1, anything else is strict UTF-8. Returns `undefined` for binary
 * content.
 */
function sourceText(bytes: Uint8Array, language: Language): string | undefined {
  const text = textOf(bytes, language)
  if (text === undefined || text.includes('\0')) return undefined
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
}

function textOf(bytes: Uint8Array, language: Language): string | undefined {
  const declares = language === 'xml' || language === 'maven-pom'
  try {
    return declares ? decoded(bytes) : new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return language === 'properties' ? Buffer.from(bytes).toString('latin1') : undefined
  }
}
