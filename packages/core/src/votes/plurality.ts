import { freeze } from '../freeze.js'
import type { Judgment } from '../judgment.js'
import { checkOptions, option, printed } from '../options.js'
import { type CategoricalScore, categorical } from '../score.js'
import type { EligibleBallot, OnError } from './aggregation.js'
import { tally } from './aggregation.js'
import { categoriesOf, categoryOf } from './category.js'
import type { Vote } from './vote.js'
import { defaultOnError, onErrorRule, voteBy } from './vote.js'

export interface PluralityOptions {
  /** The category that passes, or several. Default: a category passes where the judges that said it passed. */
  readonly passes?: string | readonly string[]
  /** What a tie is between categories that pass and categories that fail. Default `'fail'`. */
  readonly onTie?: 'pass' | 'fail' | 'abstain'
  /** Default `'propagate-if-decisive'`: ERROR, unless the outcome is the same whatever the judges in error had said. */
  readonly onError?: OnError
  /** Fewer eligible judges than this abstain; where it depends on an error whether there are enough, the vote is an ERROR. Default 1. */
  readonly minEligible?: number
}

/**
 * The category that most eligible judges said decides. The category of a judgment is the label of its categorical score;
 * without one it is `pass` or `fail`, its status. The score is the winning category. A tie of categories that all pass,
 * or all fail, is a pass or a fail with a boolean score. It is an ERROR when no judge that voted could have said a
 * category of `passes`.
 *
 * @throws `option-invalid`; the vote throws `ballots-empty`
 *
 * @example
 * jury({ judges: { a, b, c }, vote: plurality({ passes: ['candidate', 'tie'], onTie: 'abstain' }) })
 */
export function plurality(options?: PluralityOptions): Vote {
  const given = checkOptions('plurality', options, rules)
  const { onTie = 'fail', onError = defaultOnError, minEligible = 1 } = given
  const passes = typeof given.passes === 'string' ? [given.passes] : given.passes
  return voteBy({
    name: 'plurality',
    options: { ...(passes && { passes: freeze([...passes]) }), onTie, onError, minEligible },
    passes: (judgment) => passes?.includes(categoryOf(judgment)) ?? judgment.status === 'pass',
    problem: passes && ((judgments) => unsayable(passes, judgments)),
    decide: (eligible, counts) => {
      const { leaders, lead } = leadersOf(eligible)
      const [first] = leaders
      const isTie = new Set(leaders.map(({ passed }) => passed)).size > 1
      const said = Object.entries(counts.categories ?? {}).map(([category, count]) => `${category} ${count}`)
      return {
        status: isTie ? onTie : first?.passed ? 'pass' : 'fail',
        score: leaders.length > 1 ? undefined : scoreOf(first?.category, eligible),
        lead,
        reasoning: `${said.join(', ')}; ${tally(counts)}${isTie ? `: a tie, which counts as ${onTie}` : ''}`,
      }
    },
  })
}

const rules = {
  passes: {
    wants: 'a category, or a list of at least one',
    holds: (value: unknown) =>
      typeof value === 'string' || (Array.isArray(value) && value.length > 0 && option.strings.holds(value)),
  },
  onTie: option.oneOf('pass', 'fail', 'abstain'),
  onError: onErrorRule,
  minEligible: option.integer(1),
}

/** A category among those that pass, or among those that fail, and how many said it. */
interface Bloc {
  /** Absent where only errors are in it. */
  readonly category?: string
  readonly passed: boolean
  count: number
}

/** The categories that most said, and by how many ballots a single one leads. Errors join the strongest of their side. */
function leadersOf(eligible: readonly EligibleBallot[]): { readonly leaders: readonly Bloc[]; readonly lead: number } {
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
function scoreOf(category: string | undefined, eligible: readonly EligibleBallot[]): CategoricalScore | undefined {
  const judgments = eligible.flatMap(({ judgment }) => judgment ?? [])
  if (category === undefined || judgments.every(({ score }) => score?.type !== 'categorical')) return undefined
  const lists = new Map(judgments.map((judgment) => [categoriesOf(judgment).join('\n'), categoriesOf(judgment)]))
  const [only = [], another] = lists.values()
  return categorical(category, another === undefined ? only : [...new Set([...lists.values()].flat())].sort())
}

/** Why no category of `passes` can win. */
function unsayable(passes: readonly string[], judgments: readonly Judgment[]): string | undefined {
  const known = new Set(judgments.flatMap(categoriesOf))
  if (passes.some((category) => known.has(category))) return undefined
  const names = [...known].sort().join(', ')
  return `plurality: "passes" names ${passes.map(printed).join(', ')}, but the judges that voted know ${names}`
}
