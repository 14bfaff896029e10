import { checkRequired, option, optionInvalid } from '@jurist/core/internal'
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
