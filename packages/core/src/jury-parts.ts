import { freeze } from './brand.js'
import type { Judge } from './judge.js'
import type { Jury } from './jury-member.js'
import type { FinalTier, GateTier } from './tiers.js'
import type { VoteInfo } from './votes/vote.js'

/** What a jury was made of: members and a vote, or (a cascade) tiers. For descriptions, never used in judging. */
export interface JuryParts {
  readonly vote?: VoteInfo
  readonly members: readonly { readonly name: string; readonly judge: Judge; readonly weight: number }[]
  readonly tiers?: readonly ((GateTier | FinalTier) & { readonly jury: Jury })[]
}

const parts = Symbol('parts')

/** What `jury`, `juryOf` and `cascade` were made of, kept through `named`; `undefined` for a jury of one's own. */
export function juryPartsOf(jury: Jury): JuryParts | undefined {
  return (jury as { readonly [parts]?: JuryParts })[parts]
}

/** Notes on the jury what it was made of. */
export function withParts(jury: Jury, made: JuryParts): Jury {
  return Object.defineProperty(jury, parts, { value: freeze(made) })
}
