import type { Judge } from './judge.js'
import type { Jury } from './seat.js'

/** A gate that closes: any fail rejects, an error stops (or, if asked, escalates), anything else goes on. */
export interface RejectTier {
  readonly name: string
  readonly jury: Jury | Judge
  readonly policy: 'reject-on-any-fail'
  /** Default `'stop'`. */
  readonly onError?: 'stop' | 'escalate'
}
/**
 * A gate that opens: accepted when everything passes, anything else goes on. Where only an error kept it from
 * accepting, the cascade passes or is an ERROR, never a fail.
 */
export interface AcceptTier {
  readonly name: string
  readonly jury: Jury | Judge
  readonly policy: 'accept-on-all-pass'
}
/**
 * A gate that takes either answer: accepted when the vote passes, rejected when it fails, and an abstention goes on. So
 * a cheap judge that abstains where it is not sure is asked once. An error stops (or, if asked, escalates).
 */
export interface DecideTier {
  readonly name: string
  readonly jury: Jury | Judge
  readonly policy: 'accept-when-decided'
  /** Default `'stop'`. */
  readonly onError?: 'stop' | 'escalate'
}
/** Decides what is left. */
export interface FinalTier {
  readonly name: string
  readonly jury: Jury | Judge
  readonly policy: 'final'
}
export type GateTier = RejectTier | AcceptTier | DecideTier
/** Gates, then one final tier. */
export type Tiers = readonly [...GateTier[], FinalTier]
