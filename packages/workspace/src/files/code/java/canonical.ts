import type { JavaSource } from './java-source.js'
import { annotationEnd, splitAtCommas } from './ranges.js'

const modifierWords: ReadonlySet<string> = new Set([
  'public',
  'protected',
  'private',
  'static',
  'abstract',
  'final',
  'native',
  'synchronized',
  'transient',
  'volatile',
  'strictfp',
  'default',
])

/** Whether a modifier or an annotation begins at `index`. */
export function isModifier({ texts }: JavaSource, index: number): boolean {
  const text = texts[index] ?? ''
  return modifierWords.has(text) || (text === '@' && texts[index + 1] !== 'interface')
}

/** The end of the modifier or annotation that begins at `index`. */
export function modifierEnd(source: JavaSource, index: number): number {
  return source.texts[index] === '@' ? annotationEnd(source, index) : index + 1
}

/**
 * The tokens from `from` to `to` in their canonical form: modifiers and annotations of one declaration sorted,
 * `@A()` as `@A`, `@A(value = x)` as `@A(x)`, pairs of an annotation sorted, no comma before `}`.
 */
export function canonical(source: JavaSource, from: number, to: number): readonly number[] {
  const tokens: number[] = []
  for (let index = from; index < to; ) {
    if (isModifier(source, index)) {
      const end = runEnd(source, index, to)
      tokens.push(...sortedRun(source, index, end))
      index = end
    } else {
      if (!isTrailingComma(source, index)) tokens.push(index)
      index++
    }
  }
  return tokens
}

function isTrailingComma({ texts }: JavaSource, index: number): boolean {
  return texts[index] === ',' && texts[index + 1] === '}'
}

function runEnd(source: JavaSource, from: number, to: number): number {
  let end = from
  while (end < to && isModifier(source, end)) end = modifierEnd(source, end)
  return Math.min(end, to)
}

function sortedRun(source: JavaSource, from: number, to: number): readonly number[] {
  const units: (readonly number[])[] = []
  for (let index = from; index < to; ) {
    const end = Math.min(modifierEnd(source, index), to)
    units.push(canonicalModifier(source, index, end))
    index = end
  }
  return sorted(source, units).flat()
}

/** One modifier or annotation, from `from` to `to`, in its canonical form. */
export function canonicalModifier(source: JavaSource, from: number, to: number): readonly number[] {
  const { texts } = source
  if (texts[from] !== '@' || texts[to - 1] !== ')') return range(from, to)
  const open = texts.indexOf('(', from)
  if (open === to - 2) return range(from, open)
  const pairs = splitAtCommas(source, open + 1, to - 1)
  const values = pairs.map(([start, end]) => canonical(source, start, end))
  const [only] = values
  const [first] = pairs
  if (values.length === 1 && only !== undefined && first !== undefined) {
    const named = texts[first[0]] === 'value' && texts[first[0] + 1] === '='
    return [...range(from, open + 1), ...(named ? only.slice(2) : only), to - 1]
  }
  return [...range(from, open + 1), ...sorted(source, values).flat(), to - 1]
}

function sorted({ texts }: JavaSource, units: readonly (readonly number[])[]): readonly (readonly number[])[] {
  if (units.length < 2) return units
  const keyed = units.map((unit) => ({ unit, key: unit.map((index) => texts[index]).join('\0') }))
  keyed.sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0))
  return keyed.map(({ unit }) => unit)
}

/** The numbers from `from` up to, without, `to`. */
export function range(from: number, to: number): readonly number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)
}
