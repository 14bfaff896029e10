import { giveInfo, identityOf, type Judge } from './judge.js'
import { isJury, type Jury } from './jury-member.js'
import type { FinalTier, GateTier } from './tiers.js'
import type { VoteInfo } from './votes/vote.js'

/** The parts of a jury: members and a vote, or the tiers of a cascade. Used to describe the jury, and to make it again with other judges. */
export interface JuryParts {
  readonly vote?: VoteInfo
  readonly members: readonly { readonly name: string; readonly judge: Judge; readonly weight: number }[]
  readonly tiers?: readonly ((GateTier | FinalTier) & { readonly jury: Jury })[]
  /** Milliseconds for each tier. */
  readonly timeoutMs?: number
  /** The same jury, in which each member, or the jury of each tier, is what `change` makes of it. */
  readonly rebuilt?: (change: (judge: Judge) => Judge) => Jury
}

/**
 * A jury with other judges in the places of its own; what it is called, its votes and its limits stay. A custom jury, whose
 * parts are not known, is one judge.
 *
 * @param change gets each judge that has no members
 */
export function withJudges(judge: Judge, change: (judge: Judge) => Judge): Judge {
  const rebuilt = isJury(judge) ? judge.parts?.rebuilt : undefined
  if (rebuilt === undefined) return change(judge)
  return giveInfo(
    rebuilt((inner) => withJudges(inner, change)),
    identityOf(judge),
  )
}
