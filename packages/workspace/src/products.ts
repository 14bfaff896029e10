import type { Judgment } from '@jurist/core'
import { judgmentFromJson } from '@jurist/core/internal'

/** The names at the root of a workspace that only commands of judges wrote, each in a copy. */
export type Products = Set<string>

const plainName = /^[\w.@-]{2,64}$/
const mostNames = 32

/** Adds the names that a copy has and its original has not. */
export function addProducts(products: Products, original: readonly string[], copy: readonly string[]): void {
  const known = new Set(original)
  for (const name of copy) if (products.size < mostNames && !known.has(name) && plainName.test(name)) products.add(name)
}

/**
 * A failing judgment, with a word about what the judge may have missed: something that a command of another judge wrote, in
 * a copy that is gone.
 *
 * @param present the names at the root of what the judge saw
 */
export function explained(judgment: Judgment, products: Products, present: readonly string[]): Judgment {
  if (products.size === 0 || judgment.status !== 'fail') return judgment
  const { output, command } = judgment.metadata
  const text = [judgment.reasoning, ...judgment.checks.map(({ message }) => message), output, command].join('\n')
  const missed = [...products].find((name) => !present.includes(name) && names(text, name))
  if (missed === undefined) return judgment
  const hint = `${missed} was written by a command of another judge, in a copy of its own; put both judges into inOneCopy to let this one see it`
  return judgmentFromJson({ ...judgment, reasoning: `${judgment.reasoning} (${hint})` })
}

function names(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w.-])${name.replaceAll('.', '\\.')}(?![\\w-])`).test(text)
}
