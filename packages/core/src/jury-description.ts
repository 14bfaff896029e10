import { freeze } from './brand.js'
import type { Judge } from './judge.js'
import type { Jury } from './jury-member.js'
import type { FinalTier, GateTier } from './tiers.js'
import type { VoteInfo } from './votes/vote.js'

/** What a jury was made of: seats and a vote, or (a cascade) tiers. For descriptions, never used in judging. */
export interface JuryOutline {
  readonly vote?: VoteInfo
  readonly seats: readonly { readonly name: string; readonly judge: Judge; readonly weight: number }[]
  readonly tiers?: readonly ((GateTier | FinalTier) & { readonly jury: Jury })[]
}

const outline = Symbol('outline')

/** What `jury`, `juryOf` and `cascade` were made of, kept through `named`; `undefined` for a jury of one's own. */
export function outlineOf(jury: Jury): JuryOutline | undefined {
  return (jury as { readonly [outline]?: JuryOutline })[outline]
}

/** Notes on the jury what it was made of. */
export function withOutline(jury: Jury, made: JuryOutline): Jury {
  return Object.defineProperty(jury, outline, { value: freeze(made) })
}
