import type { BallotsDocument, BallotVerdict, VoteOptions } from '../answers/ballots.js'
import { type JurySettings, voteDescription } from './settings.js'

/** A jury of a run: its members with their weights, and how it voted. */
export interface StoredJury {
  /** The tier; `''` for a jury without tiers. */
  readonly name: string
  readonly members: ReadonlyMap<string, number>
  readonly strategy: string | undefined
  /** The options of its vote that the verdicts store. */
  readonly options: VoteOptions
  /** Whether its verdicts store all options of a built-in vote. Otherwise the vote cannot be repeated. */
  readonly isRepeatable: boolean
  /** Absent without tiers. */
  readonly policy?: string
  /** The confidence from which the tier decides. Absent if nothing was below it, because no verdict stores it then. */
  readonly confidence?: number
  /** Whether the tier escalated an error, because of its option `onError: 'escalate'`. */
  readonly escalates?: true
}

/** Reconstructs the juries of a run from its verdicts. */
export function juriesOf({ verdicts }: BallotsDocument): readonly StoredJury[] {
  const names = new Map<string, string | undefined>()
  for (const { tiers } of verdicts) {
    if (tiers === undefined) names.set('', undefined)
    else for (const { name, policy } of tiers) names.set(name, policy)
  }
  return [...names].map(([name, policy]) => {
    const parts = verdicts.flatMap((verdict) => verdictOf(verdict, name) ?? [])
    const voted = parts.find(({ strategy }) => strategy !== undefined)
    const confidence = parts.find(({ sureness }) => sureness?.threshold !== undefined)?.sureness?.threshold
    return {
      name,
      members: new Map(parts.flatMap(({ weights }) => Object.entries(weights))),
      strategy: voted?.strategy,
      options: voted?.options ?? {},
      isRepeatable: parts.every((part) => isVoteError(part) || isRepeatable(part)),
      policy,
      confidence,
      ...(verdicts.some((verdict) => hasEscalatedError(verdict, name)) ? { escalates: true as const } : {}),
    }
  })
}

/**
 * Whether a tier decides only from some confidence on, after the settings are applied. Its confidence with another vote
 * is not stored.
 */
export function isConfident({ policy }: Pick<StoredJury, 'policy'>, settings: JurySettings = {}): boolean {
  return (settings.policy ?? policy) === 'decide-when-confident'
}

/** Whether a verdict stores everything that is needed to vote again: a built-in vote and all its options. */
export function isRepeatable({ strategy, options = {} }: BallotVerdict): boolean {
  const description = voteDescription(strategy)
  if (description === undefined) return false
  return Object.entries(description.options).every(
    ([name, { default: otherwise }]) => otherwise === undefined || Object.hasOwn(options, name),
  )
}

/**
 * Whether the vote itself ended in an error, for example because of a category that no judge knows. Such an error does
 * not store the options.
 */
export function isVoteError({ strategy, aggregated }: BallotVerdict): boolean {
  return strategy === undefined && aggregated.status === 'error'
}

function hasEscalatedError(verdict: BallotVerdict, name: string): boolean {
  const { policy, outcome } = verdict.tiers?.find((tier) => tier.name === name) ?? {}
  const isOpen = outcome === 'escalated' && policy !== 'accept-on-all-pass'
  return isOpen && verdictOf(verdict, name)?.aggregated.status === 'error'
}

/** Returns the verdict of a tier, or the whole verdict for `''`. */
export function verdictOf(verdict: BallotVerdict, tier: string): BallotVerdict | undefined {
  if (verdict.ran === undefined) return tier === '' ? verdict : undefined
  return Object.hasOwn(verdict.ran, tier) ? verdict.ran[tier] : undefined
}
