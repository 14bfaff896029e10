import type { Judgment } from '../judgment.js'
import { arrayOf, described, option, printed } from '../options.js'
import { type CategoricalScore, categorical } from '../score.js'
import type { Vote } from './vote.js'
import {
  type EligibleBallot,
  minEligibleOption,
  type OnError,
  onErrorOption,
  tally,
  type VoteDeclaration,
  voteFactory,
} from './vote.js'

// Every export of this file is a vote: the catalogue, the config, the page and the guide follow from it.

/** Options of `majority`. */
export interface MajorityOptions {
  /** The result of an even split. Default `'fail'`. */
  readonly onTie?: 'pass' | 'fail' | 'abstain'
  /**
   * Default `'propagate-if-decisive'`: ERROR, unless the outcome is the same whatever the judges in error would have
   * decided.
   */
  readonly onError?: OnError
}

const onTie = /* @__PURE__ */ described(option.oneOf('pass', 'fail', 'abstain'), 'What a tie counts as.', 'fail')

/**
 * Passes when more eligible judges passed than failed. Counts statuses, not scores.
 *
 * @throws `option-invalid`; the vote throws `ballots-empty`
 *
 * @example
 * import { fileExists, jury, majority, outputText } from '@jurist/core'
 *
 * jury({
 *   judges: { readme: fileExists('README.md'), licence: fileExists('LICENSE'), polite: outputText({ contains: 'please' }) },
 *   vote: majority({ onTie: 'abstain' }),
 * })
 */
export const majority: (options?: MajorityOptions) => Vote = /* @__PURE__ */ voteFactory<MajorityOptions>({
  name: 'majority',
  passes: 'more judges passed than failed',
  options: { onTie, onError: onErrorOption },
  strategy: (options) => ({
    decide: (_, counts) => {
      const lead = counts.passCount - counts.failCount
      if (lead !== 0) return { status: lead > 0 ? 'pass' : 'fail', reasoning: tally(counts) }
      const { onTie: status = 'fail' } = options
      return { status, reasoning: `${tally(counts)}: a tie, which counts as ${status}` }
    },
  }),
})

/** Options of `plurality`. */
export interface PluralityOptions {
  /** The category that passes, or several. Default: a category passes where the judges that chose it passed. */
  readonly passes?: string | readonly string[]
  /** The result of a tie between categories that pass and categories that fail. Default `'fail'`. */
  readonly onTie?: 'pass' | 'fail' | 'abstain'
  /**
   * Default `'propagate-if-decisive'`: ERROR, unless the outcome is the same whatever the judges in error would have
   * decided.
   */
  readonly onError?: OnError
  /**
   * The vote abstains with fewer eligible judges than this. If an error decides whether there are enough, the vote is
   * an ERROR. Default 1.
   */
  readonly minEligible?: number
}

const categories = /* @__PURE__ */ option.either(option.string, arrayOf('an array of at least one', option.string, 1))

/**
 * Decides by the category that most eligible judges chose. The category of a judgment is the label of its categorical
 * score; without one it is its status, `pass` or `fail`. The score is the winning category. A tie of categories that
 * all pass, or all fail, is a pass or a fail with a boolean score. It is an ERROR when no judge in the vote can choose
 * a category of `passes`.
 *
 * @throws `option-invalid`; the vote throws `ballots-empty`
 *
 * @example
 * import { categorical, jury, pass, plurality } from '@jurist/core'
 *
 * const better = () => pass('the candidate is clearer', { score: categorical('candidate', ['candidate', 'baseline', 'tie']) })
 * jury({ judges: { better }, vote: plurality({ passes: ['candidate', 'tie'], onTie: 'abstain' }) })
 */
export const plurality: (options?: PluralityOptions) => Vote = /* @__PURE__ */ voteFactory<PluralityOptions>({
  name: 'plurality',
  passes: 'the category that most judges said is one that passes',
  options: {
    passes: {
      ...categories,
      wants: 'a category, or an array of at least one',
      description: 'The category that passes, or several. Default: as the judges say.',
    },
    onTie,
    onError: onErrorOption,
    minEligible: minEligibleOption,
  },
  stored: ({ passes, ...options }) =>
    passes === undefined ? options : { passes: Object.freeze([passes].flat() as string[]), ...options },
  strategy: (options) => {
    const passes = options.passes as readonly string[] | undefined
    return {
      countsAsPass: (judgment) => passes?.includes(categoryOf(judgment)) ?? judgment.status === 'pass',
      problem: passes && ((judgments) => unknownCategories(passes, judgments)),
      counts: (_, eligible) => ({ categories: categoryCounts(eligible) }),
      decide: (eligible, counts) => {
        const { leaders, lead } = leadersOf(eligible)
        const [first] = leaders
        const isTie = new Set(leaders.map(({ passed }) => passed)).size > 1
        const said = Object.entries(counts.categories ?? {}).map(([category, count]) => `${category} ${count}`)
        const { onTie: tied = 'fail' } = options
        return {
          status: isTie ? tied : first?.passed ? 'pass' : 'fail',
          score: leaders.length > 1 ? undefined : winningScore(first?.category, eligible),
          lead,
          reasoning: `${said.join(', ')}; ${tally(counts)}${isTie ? `: a tie, which counts as ${tied}` : ''}`,
        }
      },
    }
  },
})

/** Options of `consensus`. */
export interface ConsensusOptions {
  /** The result of a disagreement. Default `'fail'`. */
  readonly onMixed?: 'fail' | 'abstain'
  /**
   * Default `'propagate-if-decisive'`: ERROR, unless the outcome is the same whatever the judges in error would have
   * decided.
   */
  readonly onError?: OnError
}

const consensusDeclaration: VoteDeclaration<ConsensusOptions> = {
  name: 'consensus',
  passes: 'every judge passed',
  options: {
    onMixed: /* @__PURE__ */ described(option.oneOf('fail', 'abstain'), 'What disagreement counts as.', 'fail'),
    onError: onErrorOption,
  },
  strategy: ({ onMixed = 'fail' }) => ({
    decide: (_, counts) => {
      const reasoning = tally(counts)
      if (counts.failCount === 0) return { status: 'pass', reasoning }
      return counts.passCount === 0 ? { status: 'fail', reasoning } : { status: onMixed, reasoning }
    },
  }),
}

/**
 * Passes when every eligible judge passed, fails when every one failed. Counts statuses, not scores.
 *
 * @throws `option-invalid`; the vote throws `ballots-empty`
 *
 * @example
 * import { consensus, fileExists, jury } from '@jurist/core'
 *
 * jury({ judges: { readme: fileExists('README.md'), licence: fileExists('LICENSE') }, vote: consensus() })
 */
export const consensus: (options?: ConsensusOptions) => Vote = /* @__PURE__ */ voteFactory(consensusDeclaration)

/**
 * The same as `consensus`, under a more descriptive name: every judge must pass.
 *
 * @throws `option-invalid`; the vote throws `ballots-empty`
 *
 * @example
 * import { allMustPass, fileExists, jury } from '@jurist/core'
 *
 * jury({ judges: { readme: fileExists('README.md'), licence: fileExists('LICENSE') }, vote: allMustPass() })
 */
export const allMustPass: (options?: ConsensusOptions) => Vote = /* @__PURE__ */ voteFactory(consensusDeclaration)

function categoryOf({ score, status }: Judgment): string {
  return score?.type === 'categorical' ? score.value : status
}

function categoriesOf({ score }: Judgment): readonly string[] {
  return score?.type === 'categorical' ? score.allowed : ['pass', 'fail']
}

function categoryCounts(eligible: readonly EligibleBallot[]): { readonly [category: string]: number } {
  const counts = new Map<string, number>()
  for (const { judgment } of eligible) {
    if (judgment === undefined) continue
    const category = categoryOf(judgment)
    counts.set(category, (counts.get(category) ?? 0) + 1)
  }
  return Object.freeze(Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))))
}

interface Bloc {
  /** Absent where it contains only errors. */
  readonly category?: string
  readonly passed: boolean
  count: number
}

/** Errors count for the strongest category of their side. */
function leadersOf(eligible: readonly EligibleBallot[]): {
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

/** `allowed` is in the order of the judges when they agree on it. */
function winningScore(category: string | undefined, eligible: readonly EligibleBallot[]): CategoricalScore | undefined {
  const judgments = eligible.flatMap(({ judgment }) => judgment ?? [])
  if (category === undefined || judgments.every(({ score }) => score?.type !== 'categorical')) return undefined
  const lists = new Map(judgments.map((judgment) => [categoriesOf(judgment).join('\n'), categoriesOf(judgment)]))
  const [only = [], another] = lists.values()
  return categorical(category, another === undefined ? only : [...new Set([...lists.values()].flat())].sort())
}

function unknownCategories(passes: readonly string[], judgments: readonly Judgment[]): string | undefined {
  const known = new Set(judgments.flatMap(categoriesOf))
  if (passes.some((category) => known.has(category))) return undefined
  const names = [...known].sort().join(', ')
  return `plurality: "passes" names ${passes.map(printed).join(', ')}, but the judges that voted know ${names}`
}
