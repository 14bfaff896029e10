import { freeze } from './brand.js'
import type { Judge } from './judge.js'
import type { Jury } from './jury-member.js'
import type { FinalTier, GateTier } from './tiers.js'
import type { VoteInfo } from './votes/vote.js'

/** The parts of a jury: members and a vote, or the tiers of a cascade. Used to describe the jury, never to judge. */
export interface JuryParts {
  readonly vote?: VoteInfo
  readonly members: readonly { readonly name: string; readonly judge: Judge; readonly weight: number }[]
  readonly tiers?: readonly ((GateTier | FinalTier) & { readonly jury: Jury })[]
  /** Milliseconds for each tier. */
  readonly timeoutMs?: number
}

const parts = Symbol('parts')

/** The parts that `jury`, `juryOf` and `cascade` recorded; `named` keeps them. `undefined` for a custom jury. */
export function juryPartsOf(jury: Jury): JuryParts | undefined {
  return (jury as { readonly [parts]?: JuryParts })[parts]
}

/** Records the parts of a jury on the jury itself. */
export function withParts(jury: Jury, made: JuryParts): Jury {
  return Object.defineProperty(jury, parts, { value: freeze(made) })
}
