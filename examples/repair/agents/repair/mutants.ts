import { rules } from './rules/all-rules.js'
import type { Edit, Node, Source } from './syntax.js'
import { applied, lineAt, spotsOf } from './syntax.js'

/** One change of one source. */
export interface Change {
  readonly source: Source
  readonly rule: string
  readonly edits: readonly Edit[]
}

/** A program that differs from the given one by one change or two. */
export interface Mutant {
  readonly changes: readonly Change[]
  /** How promising it is: suspicion of the place × prior of the rule. */
  readonly score: number
}

/** The paths of the changed sources, with their new texts. */
export function textsOf({ changes }: Mutant): Readonly<Record<string, string>> {
  const sources = new Map(changes.map(({ source }) => [source.path, source]))
  return Object.fromEntries(
    [...sources].map(([path, { text }]) => {
      const edits = changes.filter(({ source }) => source.path === path).flatMap((change) => change.edits)
      return [path, applied(text, edits)]
    }),
  )
}

/**
 * All mutants of one change, the most promising first. Of several with the same text the most promising is kept, and
 * equally promising ones come in an order that `random` decides.
 */
export function singles(
  sources: readonly Source[],
  suspicion: (source: Source, node: Node) => number,
  random: () => number,
): readonly Mutant[] {
  const mutants = sources.flatMap((source) =>
    spotsOf(source).flatMap((spot) => {
      const suspicious = suspicion(source, spot.node)
      if (suspicious === 0) return []
      return rules
        .flatMap((rule) => rule(spot))
        .map(({ rule, prior, edits }) => ({ changes: [{ source, rule, edits }], score: suspicious * prior }))
    }),
  )
  return distinct(ranked(mutants, random))
}

function ranked(mutants: readonly Mutant[], random: () => number): readonly Mutant[] {
  return mutants
    .map((mutant) => ({ mutant, tie: random() }))
    .sort((a, b) => b.mutant.score - a.mutant.score || a.tie - b.tie)
    .map(({ mutant }) => mutant)
}

function distinct(mutants: readonly Mutant[]): readonly Mutant[] {
  const seen = new Set<string>()
  return mutants.filter((mutant) => {
    const texts = textsOf(mutant)
    const key = JSON.stringify(texts)
    const isNew = !seen.has(key) && mutant.changes.some(({ source }) => texts[source.path] !== source.text)
    seen.add(key)
    return isNew
  })
}

/** How much better a mutant becomes when it already made a failing test pass. */
const improvement = 10

/** Pairs of changes that do not touch, the most promising first; `improved` are those that made some test pass. */
export function pairs(mutants: readonly Mutant[], improved: ReadonlySet<Mutant>, most: number): readonly Mutant[] {
  const weighed = mutants.map((mutant) => ({
    ...mutant,
    score: mutant.score * (improved.has(mutant) ? improvement : 1),
  }))
  const best = weighed.sort((a, b) => b.score - a.score).slice(0, 2 * Math.ceil(Math.sqrt(most)))
  return best
    .flatMap((one, index) =>
      best.slice(index + 1).flatMap((other) => {
        const changes = [...one.changes, ...other.changes]
        return touching(changes) ? [] : [{ changes, score: one.score * other.score }]
      }),
    )
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
}

function touching(changes: readonly Change[]): boolean {
  const edits = changes.flatMap(({ source, edits }) => edits.map((edit) => ({ ...edit, path: source.path })))
  return edits.some((one, index) =>
    edits.slice(index + 1).some((two) => one.path === two.path && one.start <= two.end && two.start <= one.end),
  )
}

/** A change in words: `src/pages.ts:8 another method: floor → ceil`. */
export function described({ source, rule, edits }: Change): string {
  const [edit] = edits
  if (edit === undefined) return rule
  const short = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text).replaceAll('\n', ' ')
  const was = short(source.text.slice(edit.start, edit.end))
  return `${source.path}:${lineAt(source, edit.start)} ${rule}: ${was || 'nothing'} → ${short(edit.text) || 'nothing'}`
}
