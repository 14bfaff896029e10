import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { arrayOf, checkRequired, hasFields, nonBlank, option, optionInvalid } from '@jurist/core/internal'
import { parseOrUndefined } from '@jurist/kit/json'
import type { MutableLanguage, ReadSource, Span } from './language/construct.js'
import { languageOfSource, mutableLanguages } from './language/languages.js'
import { operators as known, type MutationSite, type Operator } from './operators.js'

/** One small change of a source. */
export interface Mutant extends Span {
  /** The name of the operator. */
  readonly operator: string
  /** The text that replaces the source between `start` and `end`. */
  readonly text: string
  /** The replaced text of the source. */
  readonly original: string
  /** The line of `start`, counted from 1. */
  readonly line: number
}

/** Options of `mutants`. */
export interface MutantsOptions {
  /** The name of the file. Its extension determines the language. */
  readonly path: string
  /** The lines that may change, counted from 1. Default: all. */
  readonly within?: (line: number) => boolean
  /** Default: all operators of Jurist. */
  readonly operators?: readonly Operator[]
}

/**
 * Returns the mutants of a source in source order. Each of them parses and differs from the source and from the others
 * in more than layout. Languages without a parser here (Go, Rust, C++, C#) are read by their tokens, so their mutants
 * may not compile.
 *
 * @throws `option-invalid` for bad options, an unknown language, or a source with a syntax error
 *
 * @example
 * import { mutants } from '@jurist/vet'
 *
 * const found = await mutants('export const isAdult = (age) => age >= 18', { path: 'adult.js' })
 * console.log(found.map(({ operator, original, text }) => `${operator}: ${original} → ${text}`))
 */
export async function mutants(source: string, options: MutantsOptions): Promise<readonly Mutant[]> {
  const { path, within, operators } = checkRequired<MutantsOptions>(
    'mutants',
    options,
    { path: option.string, within: option.function, operators: { wants: 'an array', holds: Array.isArray } },
    ['path'],
  )
  const read = await readSource(source, path)
  if ('problem' in read) optionInvalid('path', `mutants: ${path}: ${read.problem}.`)
  const isNew = differing(read)
  const found: Mutant[] = []
  for (const mutant of read.candidates(operators ?? known))
    if ((within === undefined || within(mutant.line)) && (await isNew(mutant))) found.push(mutant)
  return found
}

export interface MutableSource extends ReadSource {
  readonly path: string
  readonly source: string
  readonly language: MutableLanguage
  /** Returns every mutant in source order, whether or not it parses. */
  candidates(operators: readonly Operator[]): readonly Mutant[]
}

/** Reads a source in the language of its path. `problem` contains the reason why it cannot be mutated. */
export async function readSource(source: string, path: string): Promise<MutableSource | { readonly problem: string }> {
  const language = languageOfSource(path)
  if (language === undefined) {
    const names = mutableLanguages.map(({ name }) => name).join(', ')
    return { problem: `no source of a language that can be mutated (${names}), or a test` }
  }
  const read = await language.read(source, path)
  if ('problem' in read) return read
  return {
    ...read,
    ...{ path, source, language },
    candidates: (operators) => candidatesIn(source, language, read, operators),
  }
}

export function mutated(source: string, { start, end, text }: Pick<Mutant, 'start' | 'end' | 'text'>): string {
  return `${source.slice(0, start)}${text}${source.slice(end)}`
}

/** Creates a function that returns whether a mutant parses and differs from the source and from all earlier mutants. */
export function differing({ source, path, language, normalForm }: MutableSource): (mutant: Mutant) => Promise<boolean> {
  const seen = new Set([normalForm])
  return async (mutant) => {
    const read = await language.read(mutated(source, mutant), path)
    if ('problem' in read || seen.has(read.normalForm)) return false
    seen.add(read.normalForm)
    return true
  }
}

function candidatesIn(
  source: string,
  { name, words }: MutableLanguage,
  { constructs }: ReadSource,
  operators: readonly Operator[],
): readonly Mutant[] {
  const lineOf = lineFinder(source)
  const found = constructs.flatMap((construct) => {
    const textOf = ({ start, end }: Span) => source.slice(start, end)
    const site: MutationSite = {
      ...construct,
      ...{ language: name, words, text: textOf(construct), partTexts: construct.parts.map(textOf) },
    }
    return operators.flatMap((operator) =>
      operator.edits(site).map((edit): Mutant => {
        const { start, end, text } = typeof edit === 'string' ? { ...construct, text: edit } : edit
        return { operator: operator.name, start, end, text, original: source.slice(start, end), line: lineOf(start) }
      }),
    )
  })
  return found.filter(({ original, text }) => original !== text).sort((a, b) => a.start - b.start || a.end - b.end)
}

/** Creates a function that returns the line of an offset, counted from 1. */
export function lineFinder(source: string): (offset: number) => number {
  const starts = [0]
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let [low, high] = [0, starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}

/** The name of the file in an item's directory that contains its marks. */
export const marksFile = 'mutants.lock.json'

/**
 * Marks a mutant as equivalent to the reference, as decided by a person. The text identifies it, since lines may move.
 */
export interface MutantMark {
  readonly path: string
  /** The source lines that the mutant changes, without surrounding space. */
  readonly before: string
  /** The lines after the change. */
  readonly after: string
}

export function markOf(path: string, source: string, mutant: Mutant): MutantMark {
  const from = source.lastIndexOf('\n', mutant.start - 1) + 1
  const found = source.indexOf('\n', mutant.end)
  const to = found === -1 ? source.length : found
  const after = mutated(source.slice(from, to), {
    ...mutant,
    start: mutant.start - from,
    end: mutant.end - from,
  })
  return { path, before: source.slice(from, to).trim(), after: after.trim() }
}

/**
 * Reads the marks of people in a file of an item's directory: `{ "equivalent": [{ "path", "before", "after", "reason" }] }`.
 *
 * @param fields those of a mark beside its reason
 * @throws `option-invalid` with the file and the problem
 */
export async function marksIn<Mark extends MutantMark>(
  directory: string | null,
  name: string,
  key: string,
  fields: readonly (keyof Mark & string)[],
): Promise<readonly Mark[]> {
  const file = join(directory ?? '', name)
  const text = directory === null ? undefined : await readFile(file, 'utf8').catch(() => undefined)
  if (text === undefined) return []
  const read = parseOrUndefined(text)
  const mark = { ...Object.fromEntries(fields.map((field) => [field, option.string])), reason: nonBlank }
  const marks = arrayOf('an array of marks', { holds: (value) => hasFields(value, mark) })
  if (hasFields<{ readonly [name: string]: readonly Mark[] }>(read, { [key]: marks })) return read[key] ?? []
  const form = [...fields, 'reason'].map((field) => `"${field}": …`).join(', ')
  optionInvalid(name, `${file}: must be { "${key}": [{ ${form} }] }, with strings.`)
}

/** Whether a person made a mark. */
export function isMarked<Mark extends MutantMark>(mark: Mark, marks: readonly Mark[]): boolean {
  const names = Object.keys(mark) as (keyof Mark)[]
  return marks.some((one) => names.every((name) => one[name] === mark[name]))
}
