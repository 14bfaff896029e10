import { checkRequired, option, optionInvalid } from '@jurist/core/internal'
import type { MutableLanguage, ReadSource, Span } from './language/construct.js'
import { languageOfSource, mutableLanguages } from './language/languages.js'
import { operators as known, type MutationSite, type Operator } from './operators.js'

/** One small change of a source. */
export interface Mutant extends Span {
  /** The name of the operator. */
  readonly operator: string
  /** What is between `start` and `end` instead. */
  readonly text: string
  /** What is there in the source. */
  readonly original: string
  /** The line of `start`, counted from 1. */
  readonly line: number
}

/** What `mutants` makes mutants of. */
export interface MutantsOptions {
  /** The name of the file: its ending decides the language. */
  readonly path: string
  /** Lines that may change, counted from 1. Default: all. */
  readonly within?: (line: number) => boolean
  /** Default: all that come with Jurist. */
  readonly operators?: readonly Operator[]
}

/**
 * The mutants of a source, in the order of the source. Each parses, and no two of them, and none and the source, differ in
 * layout alone. Languages that have no parser here (Go, Rust, C++, C#) are read by their tokens, and may not compile.
 *
 * @throws `option-invalid`, also where the language of the file is not known; `syntax` errors as `option-invalid`
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

/** A source that can be mutated. */
export interface MutableSource extends ReadSource {
  readonly path: string
  readonly source: string
  readonly language: MutableLanguage
  /** Every mutant, in the order of the source, whether or not it parses. */
  candidates(operators: readonly Operator[]): readonly Mutant[]
}

/** Reads a source by the language of its path; `problem`: why it cannot be mutated. */
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

/** The source with the change. */
export function mutated(source: string, { start, end, text }: Pick<Mutant, 'start' | 'end' | 'text'>): string {
  return `${source.slice(0, start)}${text}${source.slice(end)}`
}

/** A function that says whether a mutant parses and is neither the source nor a mutant that it was asked before. */
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

/** A function that finds the line of an offset, counted from 1. */
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
