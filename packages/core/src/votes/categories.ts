import { freeze } from '../brand.js'
import type { Judgment } from '../judgment.js'
import { printed } from '../options.js'
import { type CategoricalScore, categorical } from '../score.js'
import type { EligibleBallot } from './aggregation.js'

/** The category of a judgment: the label of a categorical score, else its status. */
export function categoryOf({ score, status }: Judgment): string {
  return score?.type === 'categorical' ? score.value : status
}

/** The categories that a judgment could have had. */
function categoriesOf({ score }: Judgment): readonly string[] {
  return score?.type === 'categorical' ? score.allowed : ['pass', 'fail']
}

/** How many said each category, by name. */
export function categoryCounts(eligible: readonly EligibleBallot[]): { readonly [category: string]: number } {
  const counts = new Map<string, number>()
  for (const { judgment } of eligible) {
    if (judgment === undefined) continue
    const category = categoryOf(judgment)
    counts.set(category, (counts.get(category) ?? 0) + 1)
  }
  return freeze(Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))))
}

/** A category among those that pass, or among those that fail, and how many said it. */
interface Bloc {
  /** Absent where only errors are in it. */
  readonly category?: string
  readonly passed: boolean
  count: number
}

/** The categories that most said, and by how many ballots a single one leads. Errors join the strongest of their side. */
export function leadersOf(eligible: readonly EligibleBallot[]): {
  readonly leaders: readonly Bloc[]
  readonly lead: number
} {
  const blocs = new Map<string, Bloc>()
  for (const { judgment, passed } of eligible) {
    if (judgment === undefined) continue
    const category = categoryOf(judgment)
    const key = `${passed} ${category}`
    const bloc = blocs.get(key) ?? { category, passed, count: 0 }
    bloc.count += 1
    blocs.set(key, bloc)
  }
  const sorted = () => [...blocs.values()].sort((a, b) => b.count - a.count)
  const unknown = eligible.filter(({ judgment }) => judgment === undefined)
  const [side] = unknown
  if (side !== undefined) {
    const { passed } = side
    const strongest = sorted().find((bloc) => bloc.passed === passed)
    if (strongest === undefined) blocs.set('', { passed, count: unknown.length })
    else strongest.count += unknown.length
  }
  const [first, second] = sorted()
  const most = first?.count ?? 0
  return { leaders: sorted().filter(({ count }) => count === most), lead: most - (second?.count ?? 0) }
}

/** The category as a score, where any judge said one; `allowed` is in the order of the judges when they agree on it. */
export function winningScore(
  category: string | undefined,
  eligible: readonly EligibleBallot[],
): CategoricalScore | undefined {
  const judgments = eligible.flatMap(({ judgment }) => judgment ?? [])
  if (category === undefined || judgments.every(({ score }) => score?.type !== 'categorical')) return undefined
  const lists = new Map(judgments.map((judgment) => [categoriesOf(judgment).join('\n'), categoriesOf(judgment)]))
  const [only = [], another] = lists.values()
  return categorical(category, another === undefined ? only : [...new Set([...lists.values()].flat())].sort())
}

/** Why no category of `passes` can win. */
export function unknownCategories(passes: readonly string[], judgments: readonly Judgment[]): string | undefined {
  const known = new Set(judgments.flatMap(categoriesOf))
  if (passes.some((category) => known.has(category))) return undefined
  const names = [...known].sort().join(', ')
  return `plurality: "passes" names ${passes.map(printed).join(', ')}, but the judges that voted know ${names}`
}
