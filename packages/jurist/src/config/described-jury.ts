import { cascade, type Judge, type Jury, type JuryOptions, jury, type Tiers, type Vote } from '@jurist/core'
import {
  checkOptions,
  described,
  failureOf,
  isPlainObject,
  type JuryMember,
  type OptionDescriptions,
  option,
  type Place,
  printed,
} from '@jurist/core/internal'
import {
  exactCategoryMatch,
  exactVerdictMatch,
  type JudgeScorer,
  numericalTolerance,
} from '@jurist/experiment/calibrate'
import { categoryMatchRules, toleranceRules } from '@jurist/experiment/internal'
import { votesByName } from './catalog.js'
import { certifiedJury, withConfidence } from './described-confidence.js'
import { describedDecider, describedJudge } from './described-judge.js'
import { reportUnknownKeys, unknownProblem } from './problems.js'
import { isUse, type Reading, used } from './reading.js'

/**
 * Builds the jury of a description: `{judges, vote?}`, `{cascade}`, `{certified}`, `{use}`, or a single judge. With
 * `mustDecide: fail` or `error`, it may not abstain.
 */
export async function describedJury(value: unknown, place: Place, reading: Reading): Promise<Jury | Judge | undefined> {
  if (!isPlainObject(value)) return describedJudge(value, place, reading)
  if (value.mustDecide !== undefined) return describedDecider(value, place, reading, describedJury)
  if (isUse(value)) return used(value, 'juries', place, reading) as Jury | undefined
  if (value.certified !== undefined) return certifiedJury(value, place, reading, describedJury)
  if (value.cascade !== undefined) return cascadeOf(value.cascade, [...place, 'cascade'], reading)
  // Combinators such as all-of also have `judges`.
  return value.judges === undefined || value.type !== undefined
    ? describedJudge(value, place, reading)
    : juryOf(value, place, reading)
}

async function juryOf(
  value: Readonly<Record<string, unknown>>,
  place: Place,
  reading: Reading,
): Promise<Jury | undefined> {
  reportUnknownKeys(value, ['judges', 'vote', 'concurrency', 'timeoutMs'], place, reading.report)
  const { judges, vote, ...rest } = value
  if (!isPlainObject(judges)) {
    const remedy = 'Write judges: {NAME: {type: file-exists, path: README.md}, …}.'
    reading.report([...place, 'judges'], `must be an object of judges by name (got ${printed(judges)}).`, remedy)
    return undefined
  }
  const entries = Object.entries(judges)
  const members = await Promise.all(
    entries.map(async ([name, member]) => [name, await memberOf(member, [...place, 'judges', name], reading)] as const),
  )
  const chosen = vote === undefined ? undefined : describedVote(vote, [...place, 'vote'], reading)
  if (members.some(([, member]) => member === undefined) || (vote !== undefined && chosen === undefined))
    return undefined
  const options = { ...rest, judges: Object.fromEntries(members), ...(chosen === undefined ? {} : { vote: chosen }) }
  return made(() => jury(options as unknown as JuryOptions), place, reading)
}

async function memberOf(value: unknown, place: Place, reading: Reading): Promise<JuryMember | undefined> {
  // `not` also has `judge`.
  if (!isPlainObject(value) || value.judge === undefined || value.type !== undefined)
    return describedJury(value, place, reading)
  const { mustDecide, ...member } = value
  const judge =
    mustDecide === undefined
      ? await describedJury(value.judge, [...place, 'judge'], reading)
      : await describedDecider(value, place, reading, ({ judge }, at) =>
          describedJury(judge, [...at, 'judge'], reading),
        )
  return judge === undefined ? undefined : ({ ...member, judge } as JuryMember)
}

async function cascadeOf(value: unknown, place: Place, reading: Reading): Promise<Jury | undefined> {
  const { report } = reading
  if (!Array.isArray(value)) {
    report(place, `must be an array of tiers (got ${printed(value)}).`, 'Write [{name, policy, jury}, …].')
    return undefined
  }
  const tiers = await Promise.all(
    value.map(async (tier: unknown, index) => {
      if (!isPlainObject(tier)) return tier
      const known = ['name', 'policy', 'jury', 'onError', 'threshold', 'confidence']
      reportUnknownKeys(tier, known, [...place, index], report)
      const made = withConfidence(tier, [...place, index], reading)
      return { ...made, jury: made && (await describedJury(tier.jury, [...place, index, 'jury'], reading)) }
    }),
  )
  if (tiers.some((tier) => isPlainObject(tier) && tier.jury === undefined)) return undefined
  return made(() => cascade(tiers as unknown as Tiers), place, reading)
}

/** Calls a factory and reports its error. */
function made<Value>(make: () => Value, place: Place, { report }: Reading): Value | undefined {
  try {
    return make()
  } catch (thrown) {
    report(place, failureOf(thrown).message, '')
    return undefined
  }
}

/** Builds the vote of a description: `consensus`, `{type: average, threshold: 0.7}`, or `{use: name}`. */
export function describedVote(value: unknown, place: Place, reading: Reading): Vote | undefined {
  if (isUse(value)) return used(value, 'votes', place, reading) as Vote | undefined
  const { type, ...options } = isPlainObject(value) ? value : { type: value }
  const make = votesByName.get(String(type))
  if (make !== undefined) return made(() => make(options), place, reading)
  reading.report(place, ...unknownProblem('vote', type, [...votesByName.keys()]))
  return undefined
}

type Options = Readonly<Record<string, unknown>>

interface DescribedScorer {
  /** Completes "A judgment matches when …". */
  readonly matches: string
  readonly options: OptionDescriptions
  readonly required?: readonly string[]
  readonly make: (options: Options) => JudgeScorer
}

const toleranceOption = {
  tolerance: described(option.rate, 'The maximum difference between score and label, both from 0 to 1.'),
}

/** The scorers by their names in YAML and JSON. Each factory checks its own options. */
export const scorers: { readonly [type: string]: DescribedScorer } = {
  'exact-verdict-match': {
    matches: 'the judgment has the status of the label',
    options: {},
    make: (options) => {
      checkOptions('exact-verdict-match', options, {})
      return exactVerdictMatch()
    },
  },
  'exact-category-match': {
    matches: 'the category of the judgment is the label',
    options: categoryMatchRules,
    make: (options) => exactCategoryMatch(options),
  },
  'numerical-tolerance': {
    matches: 'the score of the judgment is near the label',
    options: { ...toleranceOption, ...toleranceRules },
    required: ['tolerance'],
    make: ({ tolerance, ...options }) => {
      checkOptions('numerical-tolerance', { tolerance }, toleranceOption)
      return numericalTolerance(tolerance as number, options)
    },
  },
}

/** Builds the scorer that `{type, …options}` describes. */
export function describedScorer(value: unknown, place: Place, reading: Reading): JudgeScorer | undefined {
  const { type, ...options } = isPlainObject(value) ? value : { type: value }
  const make = typeof type === 'string' && Object.hasOwn(scorers, type) ? scorers[type]?.make : undefined
  if (make !== undefined) return made(() => make(options), place, reading)
  reading.report(place, ...unknownProblem('scorer', type, Object.keys(scorers)))
  return undefined
}
