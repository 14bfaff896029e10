import type { BallotsDocument, BallotVerdict, VoteOptions } from '../answers/ballots.js'

/** Votes that a reader may put in place of the one that was. */
export const voteNames = ['majority', 'plurality', 'consensus', 'average', 'weightedAverage', 'median'] as const
export type VoteName = (typeof voteNames)[number]
/** What an error may count as. */
export const errorRules = ['propagate-if-decisive', 'propagate', 'fail', 'abstain', 'ignore'] as const
type ErrorRule = (typeof errorRules)[number]
/** What the policy of a tier before the last may be. */
export const policies = ['reject-on-any-fail', 'accept-on-all-pass', 'accept-when-decided'] as const
type Policy = (typeof policies)[number]

/** What is changed of one jury: a tier, or the only one (`''`). What is absent stays as it was. */
export interface JurySettings {
  readonly vote?: VoteName
  /** For votes on a number. */
  readonly threshold?: number
  readonly onError?: ErrorRule
  /** By seat; for a weighted average. */
  readonly weights?: Readonly<Record<string, number>>
  /** For tiers before the last. */
  readonly policy?: Policy
}

/** By the name of the tier; `''` where there are none. */
export type Settings = ReadonlyMap<string, JurySettings>

/** A jury of a run: who sits in it, with which weights, and how it voted. */
export interface SeatedJury {
  /** The tier; `''` for a jury without tiers. */
  readonly name: string
  readonly seats: ReadonlyMap<string, number>
  readonly strategy: string | undefined
  /** The options of its vote, where a verdict has them. */
  readonly options?: VoteOptions
  /** Of verdicts older than stored options: what is taken for the options that they do not say. */
  readonly assumed?: VoteOptions
  /** Absent without tiers. */
  readonly policy?: string
  /** Whether the tier handed on where it ended in an error, as `onError: 'escalate'` says. */
  readonly escalates?: true
}

/** The juries that sat in a run, as far as its verdicts tell. */
export function juriesOf({ verdicts }: BallotsDocument): readonly SeatedJury[] {
  const names = new Map<string, string | undefined>()
  for (const { tiers } of verdicts) {
    if (tiers === undefined) names.set('', undefined)
    else for (const { name, policy } of tiers) names.set(name, policy)
  }
  return [...names].map(([name, policy]) => {
    const parts = verdicts.flatMap((verdict) => partOf(verdict, name) ?? [])
    const seats = new Map(parts.flatMap(({ weights }) => Object.entries(weights)))
    const voted = parts.find((part) => part.strategy !== undefined)
    const assumed = assumedOptions(parts)
    return {
      name,
      seats,
      strategy: voted?.strategy,
      ...(voted?.options === undefined ? {} : { options: voted.options }),
      ...(assumed === undefined ? {} : { assumed }),
      ...(policy === undefined ? {} : { policy }),
      ...(verdicts.some((verdict) => handedOnAnError(verdict, name)) ? { escalates: true as const } : {}),
    }
  })
}

function handedOnAnError(verdict: BallotVerdict, name: string): boolean {
  const { policy, outcome } = verdict.tiers?.find((tier) => tier.name === name) ?? {}
  const isOpen = outcome === 'escalated' && policy !== 'accept-on-all-pass'
  return isOpen && partOf(verdict, name)?.aggregated.status === 'error'
}

/**
 * Options that verdicts from before they were stored leave open: the least score that passed is a threshold that passes
 * the same. `undefined` where every verdict has its options.
 */
function assumedOptions(parts: readonly BallotVerdict[]): VoteOptions | undefined {
  const older = parts.filter(({ strategy, options }) => strategy !== undefined && !isWhole(options))
  if (older.length === 0) return undefined
  const threshold = leastPassing(older)
  return threshold === undefined ? {} : { threshold }
}

/** Whether the options are those that a vote stores, and not only the `onError` that older ones kept. */
function isWhole(options: VoteOptions = {}): boolean {
  return Object.keys(options).length > 1
}

/** `undefined` where nothing passed with a number. */
function leastPassing(parts: readonly BallotVerdict[]): number | undefined {
  const scores = parts.flatMap(({ aggregated: { status, score } }) =>
    status === 'pass' && score?.type === 'numerical' ? [score.value] : [],
  )
  return scores.length === 0 ? undefined : scores.reduce((least, score) => Math.min(least, score))
}

/** The verdict of a tier; the whole one for `''`. */
export function partOf(verdict: BallotVerdict, name: string): BallotVerdict | undefined {
  if (verdict.ran === undefined) return name === '' ? verdict : undefined
  return Object.hasOwn(verdict.ran, name) ? verdict.ran[name] : undefined
}

/** Settings from the parameters of an address, such as `vote:meaning=median` and `weight:meaning/clarity=3`. */
export function settingsFrom(query: URLSearchParams): Settings {
  const settings = new Map<string, JurySettings>()
  const put = (jury: string, change: JurySettings) => settings.set(jury, { ...settings.get(jury), ...change })
  for (const [parameter, value] of query) {
    const [kind = '', ...rest] = parameter.split(':')
    const name = rest.join(':')
    const vote = voteNames.find((one) => one === value)
    const onError = errorRules.find((one) => one === value)
    const number = value === '' ? Number.NaN : Number(value)
    if (kind === 'vote' && vote !== undefined) put(name, { vote })
    if (kind === 'errors' && onError !== undefined) put(name, { onError })
    if (kind === 'threshold' && number >= 0 && number <= 1) put(name, { threshold: number })
    const policy = policies.find((one) => one === value)
    if (kind === 'policy' && policy !== undefined) put(name, { policy })
    if (kind === 'weight' && number >= 0 && Number.isFinite(number)) {
      const at = name.indexOf('/')
      const jury = name.slice(0, at)
      put(jury, { weights: { ...settings.get(jury)?.weights, [name.slice(at + 1)]: number } })
    }
  }
  return settings
}
