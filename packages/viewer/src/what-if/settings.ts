import type { Json } from '@jurist/core'
import { type OptionDescription, option, type VoteDescription, voteDescriptionOf, votes } from '@jurist/core/internal'
import type { BallotsDocument, BallotVerdict, VoteOptions } from '../answers/ballots.js'

/** Without aliases. */
export const voteNames: readonly string[] = Object.keys(votes).filter((name) => voteDescription(name)?.name === name)

export const policies = ['reject-on-any-fail', 'accept-on-all-pass', 'accept-when-decided'] as const
type Policy = (typeof policies)[number]

/** The changes for one jury: a tier, or the only jury (`''`). Anything absent stays as it is stored. */
export interface JurySettings {
  readonly vote?: string
  /** The options of the vote, by name. Unknown options are ignored. */
  readonly options?: VoteOptions
  /** Keyed by member, for votes that use weights. */
  readonly weights?: Readonly<Record<string, number>>
  /** The confidence from which the tier decides. */
  readonly confidence?: number
  /** For tiers before the last. */
  readonly policy?: Policy
}

/** Keyed by the name of the tier; `''` for a jury without tiers. */
export type Settings = ReadonlyMap<string, JurySettings>

export function voteDescription(name: string | undefined): VoteDescription | undefined {
  const factory = name !== undefined && Object.hasOwn(votes, name) ? votes[name] : undefined
  return factory && voteDescriptionOf(factory)
}

/** Returns all options of a vote: valid values from `stored`, and defaults for the others. */
export function completeOptions({ options }: VoteDescription, stored: VoteOptions = {}): VoteOptions {
  const entries = Object.entries(options).flatMap(([name, rule]) => {
    const value = Object.hasOwn(stored, name) && rule.holds(stored[name]) ? stored[name] : rule.default
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(entries)
}

/**
 * Reads settings from the parameters of an address: `vote:meaning=median`, `policy:rules=accept-on-all-pass`,
 * `weight:meaning/clarity=3`, `confidence:small=0.9`, and the options of votes, such as `threshold:meaning=0.9`.
 * Invalid values are ignored.
 */
export function settingsFrom(query: URLSearchParams): Settings {
  const settings = new Map<string, JurySettings>()
  for (const [parameter, text] of query) {
    const at = parameter.indexOf(':')
    if (at < 0) continue
    const [kind, target] = [parameter.slice(0, at), parameter.slice(at + 1)]
    const jury = kind === 'weight' ? target.slice(0, target.indexOf('/')) : target
    const before = settings.get(jury) ?? {}
    const change = changeFrom(kind, target.slice(jury.length + 1), text, before)
    if (change !== undefined) settings.set(jury, { ...before, ...change })
  }
  return settings
}

function changeFrom(kind: string, member: string, text: string, before: JurySettings): JurySettings | undefined {
  switch (kind) {
    case 'vote':
      return voteNames.includes(text) ? { vote: text } : undefined
    case 'policy': {
      const policy = policies.find((one) => one === text)
      return policy && { policy }
    }
    case 'weight': {
      const weight = numberFrom(text)
      if (!(weight >= 0 && Number.isFinite(weight))) return undefined
      return { weights: { ...before.weights, [member]: weight } }
    }
    case 'confidence': {
      const confidence = numberFrom(text)
      return option.rate.holds(confidence) ? { confidence } : undefined
    }
    default: {
      const value = optionValue(kind, text)
      return value === undefined ? undefined : { options: { ...before.options, [kind]: value } }
    }
  }
}

function numberFrom(text: string): number {
  return text === '' ? Number.NaN : Number(text)
}

/** Returns the value of an option that some vote allows; `undefined` if no vote allows it. */
function optionValue(name: string, text: string): Json | undefined {
  if (text === '') return undefined
  const declared = voteNames.flatMap((vote) => {
    const options: { readonly [name: string]: OptionDescription } = voteDescription(vote)?.options ?? {}
    return Object.hasOwn(options, name) ? (options[name] ?? []) : []
  })
  const words = text.split(',').map((word) => word.trim())
  const candidates: readonly Json[] = [
    ...(words.length > 1 ? [words] : []),
    text,
    Number(text),
    ...(text === 'true' || text === 'false' ? [text === 'true'] : []),
  ]
  return candidates.find((value) => declared.some(({ holds }) => holds(value)))
}

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
